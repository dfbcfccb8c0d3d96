export { parseEnd, parseRange, parseStart, type StatisticsRange } from './range/statistics-range.js';
export { dayOf } from './range/intervals.js';
export { parseTimeZone } from './range/time-zone.js';
export * from './read/freshness.js';
export { LinkStatisticsReader } from './read/link-statistics-reader.js';
export { type LoggedOrphan, OrphanLog } from './read/orphan-log.js';
export { type LoggedVisit, VisitLog } from './read/visit-log.js';
export { VisitsTotals } from './read/visits-totals.js';
export * from './statistics.errors.js';
