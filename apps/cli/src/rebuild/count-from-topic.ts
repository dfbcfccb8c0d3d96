import type { RebuildScope } from '@hopcount/ledger';

import type { Services } from '../connections.js';
import { VERIFICATION_FAILED } from '../context.js';
import type { RunningAction } from '../operator-actions/operator-action.js';
import { plural } from '../output/output.js';
import { resolveRange } from '../replay/replay-range.js';
import { readRange, sendRange } from '../replay/send-missing.js';
import { isWithin } from './rebuild-scope.js';

const MOST_RECORDS = 50_000_000;

/** Of what was sent again; empty when nothing had to be. */
export type TopicCounts = Partial<Record<'expectedCountChange' | 'actualCountChange', number>>;

interface TopicRequest {
  scope: RebuildScope;
  link: string | undefined;
  waitMs: number;
  /** Left out: only say what is missing. */
  action: RunningAction | undefined;
}

/**
 * Holds all the topic has of these links against the ledger. A rebuild computes from the ledger, so what
 * the ledger lacks is sent through the consumers first: they alone write to it.
 */
export async function countFromTopic(services: Services, request: TopicRequest): Promise<TopicCounts> {
  const { context, config, admin } = services;
  const { scope, link, waitMs, action } = request;
  const topic = config.visitsTopic;
  const ranges = await resolveRange(admin, topic, { wholeLog: true });
  const ofLink = scope.whole ? undefined : (id: string) => isWithin(scope, id);
  const range = { topic, ranges, ofLink, limit: MOST_RECORDS };
  const { missing, counted } = (await readRange(services, range)).tally;
  context.terminal.message(`The topic holds ${plural(counted, 'visit')} the ledger has, and ${missing} it lacks.`);
  if (missing === 0) return {};
  if (action === undefined) {
    context.exitWith(VERIFICATION_FAILED);
    const which = link === undefined ? '' : ` --link ${link}`;
    context.terminal.message(
      `--execute has them counted before it rebuilds; so does: hopcount replay --whole-log${which} --target live --execute`,
    );
    return {};
  }
  const { counts } = await sendRange(services, { ...range, action, waitMs });
  return {
    expectedCountChange: Number(counts['expectedCountChange']),
    actualCountChange: Number(counts['actualCountChange']),
  };
}
