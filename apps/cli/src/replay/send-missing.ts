import type { RunningAction } from '../operator-actions/operator-action.js';
import { createRateLimit } from '../operator-actions/rate-limit.js';
import { checkCountChange } from '../operator-actions/report-counts.js';
import { RecordSender, withPublisher } from '../resend/record-sender.js';
import { waitUntilReached } from '../lag/wait-until-reached.js';
import type { ReplayRun } from './replay-records.js';
import { type ReplayRequest, type ReplayServices, runReplay } from './run-replay.js';

export interface SendRequest extends Omit<ReplayRequest, 'sender' | 'onTaken'> {
  action: RunningAction;
  /** How long to wait until what was sent is counted; null: do not wait, and do not hold the count against the expected one. */
  waitMs: number | null;
}

/** Sends what is missing of a range to the visits topic, waits until it is counted and holds the change against the expected one. */
export function sendMissing(services: ReplayServices, request: SendRequest) {
  const { context, database } = services;
  const config = context.config();
  return withPublisher(config, async (publisher) => {
    const { action, waitMs, ratePerSecond } = request;
    const rateLimit = createRateLimit(ratePerSecond);
    const sender = new RecordSender(publisher, { topic: config.visitsTopic, actionId: action.id, rateLimit });
    const onTaken = (run: ReplayRun) => action.noteProgress(countsOf(run));
    const run = await runReplay(services, { ...request, sender, onTaken });
    const counts = countsOf(run);
    const expected = run.expected.size;
    if (waitMs === null) return { outcome: 'done' as const, counts: { ...counts, expectedCountChange: expected } };
    await waitUntilReached({ ...services, config, terminal: context.terminal }, waitMs);
    return checkCountChange(context, { expected, actual: await run.expected.counted(database) }, counts);
  });
}

export function countsOf(run: ReplayRun): Record<string, number> {
  const refused = [...run.refusedBy].map(([reason, count]) => [`refused: ${reason}`, count]);
  return { ...run.tally, ...(Object.fromEntries(refused) as Record<string, number>) };
}
