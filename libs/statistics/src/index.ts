export type { CheckpointAdvance } from './commit/advance-checkpoint.js';
export * from './commit/batch-attempts.js';
export * from './commit/checkpoint.js';
export * from './commit/enriched-visit.js';
export { type Losses, readLosses } from './commit/losses.js';
export * from './commit/partition-checkpoints.js';
export * from './commit/visit-committer.js';
export type { FoldOutcome, UnitKind } from './fold/fold-unit.js';
export { HotFolds } from './fold/hot-folds.js';
export { type FoldOptions, type FoldReport, type FoldSettings, UnitFolder } from './fold/unit-folder.js';
export { type HeatReport, LinkHeat } from './heat/link-heat.js';
export { pinSlots } from './heat/pin-slots.js';
export type { EnrichedOrphan } from './orphans/enriched-orphan.js';
export { type OrphanBatch, OrphanCommitter, type OrphanCommitResult } from './orphans/orphan-committer.js';
export { type LoggedOrphan, OrphanLog, type OrphanLogQuery } from './orphans/orphan-log.js';
export { OrphanPurger } from './orphans/orphan-purger.js';
export { orphanTotals, repairOrphanSlots } from './orphans/orphan-totals.js';
export { type FinishReport, type PurgeOptions, VisitPurger, type VisitPurgerSettings } from './purge/visit-purger.js';
export * from './read/freshness.js';
export { type LinkCounts, LinkStatisticsReader, type LinkStatisticsQuery } from './read/link-statistics-reader.js';
export { type LoggedVisit, VisitLog, type VisitLogPage, type VisitLogQuery } from './read/visit-log.js';
export { VisitsTotals } from './read/visits-totals.js';
export { addRebuildCounts, LedgerRebuild, type RebuildCounts } from './repair/ledger-rebuild.js';
export { CounterRepair, type CounterRepairOptions, type RepairProgress } from './repair/counter-repair.js';
export { AuditReconciler, type AuditSummary } from './reconcile/audit-reconciler.js';
export { type RefusedRecord, RefusedVisits } from './reconcile/refused-visits.js';
export { SourceAudits } from './reconcile/source-audits.js';
export { LinkTotals, type RefreshReport } from './slots/link-totals.js';
export { measureSlotDrift } from './slots/slot-drift.js';
export { type SlotState, slotStates } from './slots/slot-states.js';
export { allVisitsTotal, type TotalsSource, visitTotals } from './slots/visit-totals.js';
export {
  MAX_SERIES_POINTS,
  parseEnd,
  parseRange,
  parseStart,
  type RangeInput,
  type StatisticsRange,
} from './units/statistics-range.js';
export { parseTimeZone } from './units/time-zone.js';
export {
  type Difference,
  StatisticsVerifier,
  type VerificationReport,
  type VerifyOptions,
} from './verify/statistics-verifier.js';
