import type { ActionResult, ReplayRequest, ReplayRun } from '@hopcount/ledger';

import { kafkaConnection, type Services } from '../connections.js';
import type { RunningAction } from '../operator-actions/operator-action.js';
import { reportCountChange } from '../operator-actions/report-counts.js';

export interface SendRequest extends Omit<ReplayRequest, 'sender' | 'onTaken'> {
  action: RunningAction;
  /** null: do not wait until what was sent is counted. */
  waitMs: number | null;
}

export async function readRange(services: Services, request: ReplayRequest): Promise<ReplayRun> {
  const { runReplay } = await import('@hopcount/ledger');
  return runReplay(replayServices(services), request);
}

export async function sendRange(services: Services, { action, ...request }: SendRequest): Promise<ActionResult> {
  const { countsOf, sendMissing } = await import('@hopcount/ledger');
  const onTaken = (run: ReplayRun) => action.noteProgress(countsOf(run));
  const result = await sendMissing(replayServices(services), { ...request, actionId: action.id, onTaken });
  return reportCountChange(services.context, result);
}

function replayServices({ config, database, admin, terminal }: Services) {
  return { config, database, admin, connection: kafkaConnection(config), shown: terminal };
}
