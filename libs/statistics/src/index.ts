export { expectOrder, parseEnd, parseRange, parseStart, type StatisticsRange } from './range/statistics-range.js';
export { quarterHoursAt } from './range/local-time.js';
export { dayOf, seriesStarts } from './range/intervals.js';
export { comparedRange, presetRange } from './range/presets.js';
export { daysBeforeIn, formatRanges, formatStarts, parseTimeZone } from './range/time-zone.js';
export type { VisitFilter } from '@hopcount/archive';
export { HostLists, type HostPosition } from './hosts/host-lists.js';
export { HostPasts } from './hosts/host-pasts.js';
export { formatHostReport, HostReport } from './hosts/host-report.js';
export { HostSeries, type HostSeriesRow } from './hosts/host-series.js';
export { type AlertPosition, type HostAlertEvent, HostAlerts } from './hosts/host-alerts.js';
export { type FeedCursor, formatCursor, parseCursor } from './feed/feed-cursor.js';
export { type FeedEvent, VisitFeed } from './feed/visit-feed.js';
export { areEqual, COUNTED_FROM_VISITS, exactnessOf, exactnessOfHostSums } from './read/exactness.js';
export * from './read/freshness.js';
export { LinkStatisticsReader } from './read/link-statistics-reader.js';
export { type LoggedOrphan, OrphanLog } from './read/orphan-log.js';
export type { LoggedVisit } from './read/request-log.js';
export { VisitLog } from './read/visit-log.js';
export { VisitSequence } from './read/visit-sequence.js';
export type { VisitScope } from './read/visit-scope.js';
export { VisitsTotals } from './read/visits-totals.js';
export type { StatisticsScope } from './scopes/statistics-scope.js';
export { type ExplainedVisit, ExplainedVisits } from './scopes/explained-visits.js';
export { HOT_LINKS_AT_MOST, type HotVisits, HotVisitsReader } from './scopes/hot-visits.js';
export { type LiveScope, LiveVisits } from './scopes/live-visits.js';
export type { AnswerState } from './scopes/scope-questions.js';
export { VisitsMatrix } from './scopes/visits-matrix.js';
export { VisitsProof } from './scopes/visits-proof.js';
export {
  type VisitsPoint,
  type VisitsQuery,
  VisitsStatisticsReader,
  type VisitsTotal,
  type VisitsValue,
} from './scopes/visits-statistics-reader.js';
export * from './statistics.errors.js';
