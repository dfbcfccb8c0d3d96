export * from './buckets.js';
export { bindAnew, LedgerCluster, type LogStart, refuseOtherCluster } from './cluster/ledger-cluster.js';
export type { CheckpointAdvance } from './commit/advance-checkpoint.js';
export * from './commit/batch-attempts.js';
export * from './commit/checkpoint.js';
export * from './commit/enriched-visit.js';
export { type Losses, readLosses } from './commit/losses.js';
export * from './commit/partition-checkpoints.js';
export * from './commit/partition-progress.js';
export {
  type PreparedVisits,
  type VisitSource,
  visitsInHand,
  VisitsToPrepare,
  type WhichVisits,
} from './commit/prepared-visits.js';
export type { HourDelta } from './commit/fold-hours.js';
export * from './commit/visit-committer.js';
export type { FiledLoss } from './erase/erase-batch.js';
export { type FiledErasure, type People, VisitEraser } from './erase/visit-eraser.js';
export * from './dead-letters/dead-letter-states.js';
export { LetterRedrive, type RedriveParts } from './dead-letters/redrive-letters.js';
export { type Letter, walkLetters } from './dead-letters/walk-letters.js';
export {
  type LetterChoice,
  letterRanges,
  type LetterServices,
  walkChosenLetters,
} from './dead-letters/chosen-letters.js';
export {
  planRedrive,
  type RedriveCheckpoint,
  type RedriveChoice,
  type RedriveServices,
  runRedrive,
} from './dead-letters/run-redrive.js';
export { checkData, withoutThrowing } from './doctor/check-data.js';
export { checkCopies, copyProblems } from './doctor/check-copies.js';
export {
  checkConsumers,
  checkDeadLetters,
  checkRetention,
  checkTopics,
  countDeadLetters,
} from './doctor/check-services.js';
export { type TopicNames, topicProblems, wantedTopics } from './doctor/check-topic.js';
export { type Check, type CheckStatus, fail, ok, type Said, warn } from './doctor/check.js';
export { expireFeed, FEED_KEPT_MINUTES } from './feed/expire-feed.js';
export {
  areHostSumsExact,
  compareWithFiles,
  correctFromFiles,
  FILED_SUMS,
  type MissingSum,
  unattributedRanges,
} from './filed-sums/filed-sums.js';
export { foldHour } from './fold/fold-hour.js';
export { HotFolds } from './fold/hot-folds.js';
export { type HeatReport, LinkHeat } from './heat/link-heat.js';
export { pinSlots } from './heat/pin-slots.js';
export { type FedCommit, HostBatchCommitter } from './hosts/host-batch-committer.js';
export { type FeedLimits, HostBatches } from './hosts/host-batches.js';
export { QuietHosts } from './hosts/quiet-hosts.js';
export { HostFold } from './hosts/host-fold.js';
export { HostTail, type HostTailRead, MAX_TAIL_AGE_MS } from './hosts/host-tail.js';
export { type HostTotal, HostTotals } from './hosts/totals/host-totals.js';
export { measureHostDrift } from './hosts/host-drift.js';
export { KnownPeers } from './hosts/known-peers.js';
export { HostPublication } from './hosts/peers/host-publication.js';
export { HostReplicas } from './hosts/peers/host-replicas.js';
export type { StateTopic } from './hosts/peers/state-topic.js';
export * from './lag/lag.js';
export * from './jobs/operator-jobs.js';
export { type JobRun, type JobWork, runJob } from './jobs/run-job.js';
export { waitUntilCounted, waitUntilReached } from './lag/wait-until-counted.js';
export { pendingAgeMs } from './lag/pending-age.js';
export { readLag } from './lag/read-lag.js';
export { EndedUses, type EndedUsesOptions } from './limits/ended-uses.js';
export * from './operations/offset-ranges.js';
export * from './operations/operator-action.js';
export { orphanTotals, OrphanVisits } from './orphans/orphan-visits.js';
export { type FinishReport, type PurgeOptions, VisitPurger, type VisitPurgerSettings } from './purge/visit-purger.js';
export { compareScope } from './rebuild/compare-scope.js';
export { LedgerRebuild } from './rebuild/ledger-rebuild.js';
export { countLinks, startLinkProgress } from './rebuild/link-progress.js';
export { EVERYTHING, FIRST_ID, type RebuildScope } from './rebuild/rebuild-scope.js';
export { type RebuildCheckpoint, type RebuildRequest, runRebuild } from './rebuild/run-rebuild.js';
export { SlotBackfill, type SlotBackfillOptions, type BackfillProgress } from './rebuild/slot-backfill.js';
export { SumsSweep } from './verify/sums-sweep.js';
export { noteDoubted, readDoubted, trustSums } from './verify/doubted-sums.js';
export { createMonths, missingMonths, openMonth } from './retention/ledger-months.js';
export {
  LedgerRetention,
  type MonthArchive,
  type MonthExamination,
  type MonthReport,
} from './retention/ledger-retention.js';
export { expectRestorable, restoreMonth } from './retention/restore-month.js';
export type { LedgerMonth } from './retention/ledger-months.js';
export { ClassMoves } from './relabel/class-moves.js';
export type { LabelRules, StoredClient, StoredOrigin } from './relabel/label-rules.js';
export { lockRun } from './relabel/lock-run.js';
export { type RelabelRun, VisitRelabeler } from './relabel/visit-relabeler.js';
export { AuditReconciler, type AuditSummary, summariseAudits } from './reconcile/audit-reconciler.js';
export { CountedUpTo, type CountedUpToOptions } from './reconcile/counted-up-to.js';
export { countUncounted } from './reconcile/count-uncounted.js';
export { type RefusedRecord, RefusedVisits } from './reconcile/refused-visits.js';
export { auditsByVersion, type VersionAudit } from './reconcile/audits-by-version.js';
export { SourceAudits } from './reconcile/source-audits.js';
export { ReplayRun } from './replay/replay-run.js';
export { countsOf, type ReplayRequest, runReplay, sendMissing } from './replay/run-replay.js';
export { intoBatches, RecordSender } from './resend/record-sender.js';
export { withSender } from './resend/with-sender.js';
export { BOT_CLASSES } from './slots/bot-classes.js';
export { LinkTotals, type RefreshReport } from './slots/link-totals.js';
export { BucketGatherer } from './slots/bucket-gatherer.js';
export { type MergeReport, SlotMerger } from './slots/slot-merger.js';
export { measureSlotDrift } from './slots/slot-drift.js';
export { type SlotState, slotStates } from './slots/slot-states.js';
export { allVisitsTotal, COUNTED_VISITS, type TotalsSource, visitTotals } from './slots/visit-totals.js';
export {
  type Difference,
  StatisticsVerifier,
  type VerificationReport,
  type VerifyOptions,
} from './verify/statistics-verifier.js';
export { verifyAll, type VerifyCheckpoint, type VerifyFilesOptions } from './verify/verify-all.js';
export { VerificationRequests } from './verify/verification-requests.js';
export { checkCountChange } from './verdicts/check-count-change.js';
export { ExpectedCount } from './verdicts/expected-count.js';
export { type JudgedVisit, type Verdict, VisitJudge } from './verdicts/visit-judge.js';
export * from './ledger.errors.js';
