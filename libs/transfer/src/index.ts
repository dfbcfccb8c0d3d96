export { EXPORT_FORMATS, type ExportFormat, exportLinks } from './export/export-links.js';
