import type { CHECK_ADVICE, CHECK_FINDINGS } from '@hopcount/contracts';

export type CheckStatus = 'ok' | 'warn' | 'fail';

/** The same as the English sentences, for those who say it in another language. */
export interface Said {
  found: (typeof CHECK_FINDINGS)[number];
  advice?: (typeof CHECK_ADVICE)[number];
  values?: Readonly<Record<string, string | number>>;
}

/** One line of doctor. */
export interface Check {
  name: string;
  status: CheckStatus;
  found: string;
  /** What to do; null when nothing is. */
  advice: string | null;
  foundCode: Said['found'] | null;
  adviceCode: NonNullable<Said['advice']> | null;
  values: Record<string, string | number>;
}

export function ok(name: string, found: string, said?: Said): Check {
  return { name, status: 'ok', found, advice: null, ...coded(said) };
}

export function warn(name: string, found: string, advice: string, said?: Said): Check {
  return { name, status: 'warn', found, advice, ...coded(said) };
}

export function fail(name: string, found: string, advice: string, said?: Said): Check {
  return { name, status: 'fail', found, advice, ...coded(said) };
}

function coded(said: Said | undefined) {
  return { foundCode: said?.found ?? null, adviceCode: said?.advice ?? null, values: { ...said?.values } };
}

/** Clocks further apart are worth a look; a visit's time is its gateway's clock. */
const SKEW_WARN_MS = 1_000;
/** Ids further ahead than this are refused as from the future (two days), so a day is a broken clock. */
const SKEW_FAIL_MS = 86_400_000;

/** `beforeMs` and `afterMs`: this machine's clock around the question. */
export function judgeSkew(serverMs: number, beforeMs: number, afterMs: number): Check {
  const skewMs = Math.round(serverMs < beforeMs ? beforeMs - serverMs : serverMs > afterMs ? serverMs - afterMs : 0);
  const found = `${skewMs} ms from PostgreSQL's`;
  const said = { found: 'clock-apart', values: { skewMs } } as const;
  if (skewMs >= SKEW_FAIL_MS)
    return fail('clock', found, 'Set the clocks: visits would be refused.', { ...said, advice: 'set-clocks' });
  if (skewMs >= SKEW_WARN_MS)
    return warn('clock', found, 'Synchronise the clocks of these machines (NTP).', {
      ...said,
      advice: 'synchronise-clocks',
    });
  return ok('clock', found, said);
}

/** A group without members counts nothing; one that is only behind catches up. */
export function judgeGroup(state: { state: string; members: number }, pending: bigint): Check {
  const found = `${state.state}, members: ${state.members}, pending: ${pending}`;
  const values = { state: state.state, members: state.members, pending: Number(pending) };
  const said = (advice?: Said['advice']): Said => ({ found: 'group-state', values, ...(advice && { advice }) });
  if (state.members === 0) {
    const advice = 'Start a consumer: nothing is counted meanwhile (and nothing is lost).';
    return fail('consumers', found, advice, said('start-consumer'));
  }
  if (state.state !== 'Stable')
    return warn('consumers', found, 'The group is being balanced: look again in a few seconds.', said('look-again'));
  if (pending > 100_000n)
    return warn('consumers', found, 'Far behind: watch `hopcount lag`, add consumers if it grows.', said('watch-lag'));
  return ok('consumers', found, said());
}

/** `gone` is what the log lacks of what was never counted, `noted` what consumers wrote down of it. */
export function judgeRetention(losses: { gone: number; noted: number; foundAt: Date | null }): Check {
  const { gone, noted, foundAt } = losses;
  if (gone > noted) {
    const advice = 'Raise retention.ms of the topic now, and start a consumer.';
    return fail('retention', `${gone} records removed before they were counted`, advice, {
      ...{ found: 'losing-records', advice: 'raise-retention', values: { count: gone } },
    });
  }
  if (foundAt === null) return ok('retention', 'nothing was removed before it was counted', { found: 'nothing-lost' });
  const found = `${noted} records removed before they were counted, last found ${foundAt.toISOString()}`;
  return warn(
    'retention',
    found,
    'They are lost: see table lost_offsets. Keep more in the topic than an outage lasts.',
    { found: 'records-lost', advice: 'see-lost-offsets', values: { count: noted, time: foundAt.toISOString() } },
  );
}
