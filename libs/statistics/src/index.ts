export {
  MAX_SERIES_POINTS,
  parseEnd,
  parseRange,
  parseStart,
  type RangeInput,
  type StatisticsRange,
} from './range/statistics-range.js';
export { dayOf } from './range/intervals.js';
export { parseTimeZone } from './range/time-zone.js';
export * from './read/freshness.js';
export { type LinkCounts, LinkStatisticsReader, type LinkStatisticsQuery } from './read/link-statistics-reader.js';
export { type LoggedOrphan, OrphanLog, type OrphanLogQuery } from './read/orphan-log.js';
export { type LoggedVisit, VisitLog, type VisitLogPage, type VisitLogQuery } from './read/visit-log.js';
export { VisitsTotals } from './read/visits-totals.js';
export * from './statistics.errors.js';
