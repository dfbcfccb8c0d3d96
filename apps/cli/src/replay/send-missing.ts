import type { RunningAction } from '../operator-actions/operator-action.js';
import { checkCountChange } from '../operator-actions/report-counts.js';
import type { Services } from '../connections.js';
import { withSender } from '../resend/with-sender.js';
import type { ReplayRun } from './replay-records.js';
import { type ReplayRequest, runReplay } from './run-replay.js';

export interface SendRequest extends Omit<ReplayRequest, 'sender' | 'onTaken'> {
  action: RunningAction;
  /** How long to wait until what was sent is counted; null: do not wait, and do not hold the count against the expected one. */
  waitMs: number | null;
}

/** Sends what is missing of a range to the visits topic, waits until it is counted and holds the change against the expected one. */
export function sendMissing(services: Services, request: SendRequest) {
  const { action, waitMs, ratePerSecond } = request;
  return withSender(services.config, { actionId: action.id, ratePerSecond }, async (sender) => {
    const onTaken = (run: ReplayRun) => action.noteProgress(countsOf(run));
    const run = await runReplay(services, { ...request, sender, onTaken });
    return checkCountChange(services, { expected: run.expected, counts: countsOf(run), waitMs });
  });
}

export function countsOf(run: ReplayRun): Record<string, number> {
  const refused = [...run.refusedBy].map(([reason, count]) => [`refused: ${reason}`, count]);
  return { ...run.tally, ...(Object.fromEntries(refused) as Record<string, number>) };
}
