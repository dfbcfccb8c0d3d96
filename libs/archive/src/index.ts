export { archiveRoot } from './archive-root.js';
export { Archive, type ArchiveSettings, closedBefore } from './archive.js';
export * from './archive.errors.js';
export type { DayReport } from './days/day-aggregator.js';
export type { ArchiveFile } from './manifest/archive-file.js';
export type { ArchiveDifference, ArchiveVerification } from './verify/archive-verifier.js';
export {
  ArchiveReader,
  type ArchiveReaderSettings,
  type FiledVisits,
  type LinkSources,
} from './read/archive-reader.js';
export { type Uniques, type ValueCount, wholeHours } from './read/archived-link.js';
export type { PeriodSum } from './read/judge-sums.js';
export type { SealReport } from './seal/visit-sealer.js';
export type { MergeReport } from './merge/file-merger.js';
