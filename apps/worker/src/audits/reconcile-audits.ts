import type { AuditSummary } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import type { WorkerMetrics } from '../worker.metrics.js';

/** Statements that may be run twice; a second runner costs only its own time. */
export function reconcileAudits({ config, reconciler, metrics, logger }: JobsDeps): JobDefinition {
  let reported = '';
  const work = async () => {
    const summary = await reconciler.run();
    measure(metrics, summary);
    const { missingVisits, surplusVisits, differentMinutes, unreportedMinutes } = summary;
    const finding = JSON.stringify([missingVisits, surplusVisits, differentMinutes, unreportedMinutes]);
    if (finding !== reported && differentMinutes + unreportedMinutes > 0) {
      logger.error({ summary }, 'gateways and ledger disagree; run hopcount verify');
    }
    reported = finding;
  };
  // As the index of them says it. What only time settles is looked at every half a minute.
  const waitsFor = `EXISTS (SELECT FROM source_audits WHERE status IS NULL OR status IN ('missing', 'surplus'))`;
  return { name: 'reconcile-audits', intervalMs: config.reconcileIntervalMs, waitsFor, work };
}

function measure({ auditVisits, auditMinutes }: WorkerMetrics, summary: AuditSummary): void {
  auditVisits.set({ state: 'missing' }, summary.missingVisits);
  auditVisits.set({ state: 'surplus' }, summary.surplusVisits);
  auditVisits.set({ state: 'unaudited' }, summary.unauditedVisits);
  auditVisits.set({ state: 'answered' }, summary.answeredVisits);
  auditMinutes.set({ state: 'different' }, summary.differentMinutes);
  auditMinutes.set({ state: 'unreported' }, summary.unreportedMinutes);
  auditMinutes.set({ state: 'unaudited' }, summary.unauditedMinutes);
  auditMinutes.set({ state: 'open' }, summary.openMinutes);
}
