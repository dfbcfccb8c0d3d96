import type { Logger } from '@hopcount/runtime';
import type { AuditReconciler, AuditSummary } from '@hopcount/ledger';

import type { WorkerMetrics } from '../worker.metrics.js';
import type { JobDefinition } from '../jobs/interval-job.js';

export interface ReconcileJobDeps {
  reconciler: Pick<AuditReconciler, 'run'>;
  metrics: Pick<WorkerMetrics, 'auditVisits' | 'auditMinutes'>;
  intervalMs: number;
  logger: Logger;
}

/** Statements that may be run twice; a second runner costs only its own time. */
export function createReconcileAuditsJob({ reconciler, metrics, intervalMs, logger }: ReconcileJobDeps): JobDefinition {
  let reported = '';
  return {
    name: 'reconcile-audits',
    intervalMs,
    work: async function reconcileAudits() {
      const summary = await reconciler.run();
      measure(metrics, summary);
      const { missingVisits, surplusVisits, differentMinutes, unreportedMinutes } = summary;
      const finding = JSON.stringify([missingVisits, surplusVisits, differentMinutes, unreportedMinutes]);
      if (finding !== reported && differentMinutes + unreportedMinutes > 0) {
        logger.error({ summary }, 'gateways and ledger disagree; run hopcount verify');
      }
      reported = finding;
    },
  };
}

function measure({ auditVisits, auditMinutes }: ReconcileJobDeps['metrics'], summary: AuditSummary): void {
  auditVisits.set({ state: 'missing' }, summary.missingVisits);
  auditVisits.set({ state: 'surplus' }, summary.surplusVisits);
  auditVisits.set({ state: 'unaudited' }, summary.unauditedVisits);
  auditVisits.set({ state: 'answered' }, summary.answeredVisits);
  auditMinutes.set({ state: 'different' }, summary.differentMinutes);
  auditMinutes.set({ state: 'unreported' }, summary.unreportedMinutes);
  auditMinutes.set({ state: 'unaudited' }, summary.unauditedMinutes);
  auditMinutes.set({ state: 'open' }, summary.openMinutes);
}
