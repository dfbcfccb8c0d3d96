export { archiveRoot } from './archive-root.js';
export { Archive, type ArchiveSettings, closedBefore } from './archive.js';
export * from './archive.errors.js';
export type { DayReport } from './days/day-aggregator.js';
export { ArchiveManifest } from './manifest/archive-manifest.js';
export type { ArchiveFile } from './manifest/archive-file.js';
export { checkFiles } from './manifest/check-files.js';
export { adviceFor, type DamagedFile } from './manifest/damaged-file.js';
export type { ArchiveDifference, ArchiveVerification } from './verify/archive-verifier.js';
export { type ParquetColumn, ParquetFiles, type ParquetRow } from './parquet/parquet-files.js';
export { ArchiveReader, type ArchiveReaderSettings } from './read/archive-reader.js';
export { readKeptFrom } from './read/kept-from.js';
export type { FiledVisits, LinkSources } from './read/link-sources.js';
export { type CountedUniques, type FoundUniques, wholeHours } from './read/archived-link.js';
export type { Uniques } from './read/count-uniques.js';
export { type CountedBy, selectInLedger } from './questions/count-visits.js';
export { POSTGRES } from './questions/dialect.js';
export {
  crossInLedger,
  type CrossedBy,
  type Crossing,
  type Matrix,
  matrixOf,
  type MatrixSide,
  type MatrixSize,
  toMatrix,
} from './questions/cross-visits.js';
export { newestOf, type VisitsPage } from './questions/list-visits.js';
export { filterVisits, type VisitFilter } from './questions/visit-filters.js';
export {
  asksForDomains,
  DOMAIN_COLUMN,
  type GroupedBy,
  type HostDimension,
  type HostParentDimension,
  SELECT_DOMAINS,
} from './questions/visit-values.js';
export type { PeriodSum } from './read/judge-sums.js';
export { EVERYBODY, ledgerConditions, trafficOf, type VisitsOf, type VisitsQuestion } from './read/visits-of.js';
export type { LedgerSelect, ScopedFiles, ScopeSources } from './read/scope-sources.js';
export { pageOf, toValueRows, type ValuePage, type ValueRow, type ValueRows } from './questions/value-page.js';
export type { ScopeTotals, VisitsSum } from './read/scoped-visits.js';
export type { DimensionSum } from './summaries/link-summary.js';
export type { SealReport } from './seal/visit-sealer.js';
export type { MergeReport } from './merge/file-merger.js';
export { LEDGER_SELECTION, VISIT_COLUMNS } from './visit-columns.js';
