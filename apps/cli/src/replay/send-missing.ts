import type { RunningAction } from '../operator-actions/operator-action.js';
import { reportCountChange } from '../operator-actions/report-counts.js';
import { kafkaConnection, type Services } from '../connections.js';
import type { ReplayRun } from './replay-records.js';
import { type ReplayRequest, runReplay } from './run-replay.js';

export interface SendRequest extends Omit<ReplayRequest, 'sender' | 'onTaken'> {
  action: RunningAction;
  /** How long to wait until what was sent is counted; null: do not wait, and do not hold the count against the expected one. */
  waitMs: number | null;
}

/** Sends what is missing of a range to the visits topic, waits until it is counted and holds the change against the expected one. */
export async function sendMissing(services: Services, request: SendRequest) {
  const { action, waitMs, ratePerSecond } = request;
  const { config, context, terminal } = services;
  const { checkCountChange, withSender } = await import('@hopcount/ledger');
  const connection = kafkaConnection(config);
  return withSender({ connection, config, actionId: action.id, ratePerSecond }, async (sender) => {
    const onTaken = (run: ReplayRun) => action.noteProgress(countsOf(run));
    const run = await runReplay(services, { ...request, sender, onTaken });
    const checked = { expected: run.expected, counts: countsOf(run), waitMs };
    return reportCountChange(context, await checkCountChange({ ...services, shown: terminal }, checked));
  });
}

export function countsOf(run: ReplayRun): Record<string, number> {
  const refused = [...run.refusedBy].map(([reason, count]) => [`refused: ${reason}`, count]);
  return { ...run.tally, ...(Object.fromEntries(refused) as Record<string, number>) };
}
