export type CheckStatus = 'ok' | 'warn' | 'fail';

/** One line of doctor. */
export interface Check {
  name: string;
  status: CheckStatus;
  found: string;
  /** What to do; null when nothing is. */
  advice: string | null;
}

export function ok(name: string, found: string): Check {
  return { name, status: 'ok', found, advice: null };
}

export function warn(name: string, found: string, advice: string): Check {
  return { name, status: 'warn', found, advice };
}

export function fail(name: string, found: string, advice: string): Check {
  return { name, status: 'fail', found, advice };
}

/** Clocks further apart are worth a look; a visit's time is its gateway's clock. */
const SKEW_WARN_MS = 1_000;
/** Ids further ahead than this are refused as from the future (two days), so a day is a broken clock. */
const SKEW_FAIL_MS = 86_400_000;

/** `beforeMs` and `afterMs`: this machine's clock around the question. */
export function judgeSkew(serverMs: number, beforeMs: number, afterMs: number): Check {
  const skewMs = Math.round(serverMs < beforeMs ? beforeMs - serverMs : serverMs > afterMs ? serverMs - afterMs : 0);
  const found = `${skewMs} ms from PostgreSQL's`;
  if (skewMs >= SKEW_FAIL_MS) return fail('clock', found, 'Set the clocks: visits would be refused.');
  if (skewMs >= SKEW_WARN_MS) return warn('clock', found, 'Synchronise the clocks of these machines (NTP).');
  return ok('clock', found);
}

/** A group without members counts nothing; one that is only behind catches up. */
export function judgeGroup(state: { state: string; members: number }, pending: bigint): Check {
  const found = `${state.state}, members: ${state.members}, pending: ${pending}`;
  if (state.members === 0)
    return fail('consumers', found, 'Start a consumer: nothing is counted meanwhile (and nothing is lost).');
  if (state.state !== 'Stable')
    return warn('consumers', found, 'The group is being balanced: look again in a few seconds.');
  if (pending > 100_000n)
    return warn('consumers', found, 'Far behind: watch `hopcount lag`, add consumers if it grows.');
  return ok('consumers', found);
}

/** `gone` is what the log lacks of what was never counted, `noted` what consumers wrote down of it. */
export function judgeRetention(losses: { gone: number; noted: number; foundAt: Date | null }): Check {
  const { gone, noted, foundAt } = losses;
  if (gone > noted) {
    const advice = 'Raise retention.ms of the topic now, and start a consumer.';
    return fail('retention', `${gone} records removed before they were counted`, advice);
  }
  if (foundAt === null) return ok('retention', 'nothing was removed before it was counted');
  const found = `${noted} records removed before they were counted, last found ${foundAt.toISOString()}`;
  return warn(
    'retention',
    found,
    'They are lost: see table lost_offsets. Keep more in the topic than an outage lasts.',
  );
}
