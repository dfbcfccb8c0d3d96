import type { Check, Said } from '@hopcount/ledger';
import { ok, warn } from '@hopcount/ledger';
import type { Database, ReplicaState } from '@hopcount/postgres';
import { type CheckResult, type Health, inTime } from '@hopcount/runtime';

/** Less than a check has, so that a silent primary leaves time to ask its standby. */
const PRIMARY_WAIT_MS = 1_200;
/** The name in reports of what DATABASE_READ_URL leads to. */
export const READ_STANDBY = 'read standby';
const ADVICE = 'Point DATABASE_READ_URL to a standby that streams; statistics are read from the primary meanwhile.';
const STATES: Readonly<Record<Exclude<ReplicaState, 'standby'>, { detail: string; found: Said['found'] }>> = {
  late: { detail: 'ten minutes behind, or nothing was written for as long', found: 'standby-late' },
  promoted: { detail: 'no standby but a server of its own: promoted, or an old primary', found: 'standby-promoted' },
  away: { detail: 'does not answer', found: 'does-not-answer' },
};

/** An api that can answer questions is ready: with its primary away it refuses changes alone. */
export function addPostgresReadiness(health: Health, database: Database, hasStandby: boolean): void {
  health.addReadiness('postgres', async () => {
    try {
      await inTime(database.query('SELECT 1'), PRIMARY_WAIT_MS);
      return { status: 'pass' };
    } catch (error) {
      if ((await database.replicaState()) !== 'standby') throw error;
      return {
        status: 'warn',
        detail: 'the primary does not answer: its standby answers questions, changes are refused',
      };
    }
  });
  if (!hasStandby) return;
  health.addReadiness(READ_STANDBY, async () => {
    const state = (await database.replicaState()) ?? 'standby';
    return state === 'standby' ? { status: 'pass' } : { status: 'warn', detail: STATES[state].detail };
  });
}

/** As doctor says it. */
export function checkOfStandby({ detail }: CheckResult): Check {
  const state = Object.values(STATES).find((one) => one.detail === detail);
  if (state === undefined) return ok(READ_STANDBY, 'answers', { found: 'answers' });
  return warn(READ_STANDBY, state.detail, ADVICE, { found: state.found, advice: 'point-to-standby' });
}
