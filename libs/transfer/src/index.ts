export { EXPORT_DEADLINE_MS, EXPORT_FORMATS, type ExportFormat, exportLinks } from './export/export-links.js';
export { exportVisits } from './export/export-visits.js';
export { type ImportRow, type ImportSkip, ImportStore } from './imports/import-store.js';
export { planImport } from './imports/plan-import.js';
export { runImport } from './imports/run-import.js';
export type { VisitTaker } from './imports/take-visits.js';
export { fetchLinks } from './sources/fetch-links.js';
export { IMPORT_SOURCES, type ImportSource } from './sources/sources.js';
export { TRANSFER_ERRORS } from './transfer.errors.js';
