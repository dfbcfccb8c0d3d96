export { EXPORT_DEADLINE_MS, EXPORT_FORMATS, type ExportFormat, exportLinks } from './export/export-links.js';
