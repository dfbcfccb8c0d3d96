const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Further ahead than any clock that is merely wrong; such ids would sit in partitions nobody made yet. */
const FUTURE_LIMIT_MS = 2 * DAY_MS;

/**
 * Why the ledger cannot vouch for a visit of that time, null when it can. Beyond `ledgerDays`
 * (the dedupe horizon) months are dropped: nothing could tell a late duplicate from a new visit.
 */
export function beyondLedger(
  occurredAtMs: number,
  nowMs: number,
  ledgerDays: number,
): { reason: 'older-than-ledger' | 'from-the-future'; detail: string } | null {
  const ageMs = nowMs - occurredAtMs;
  if (ageMs > ledgerDays * DAY_MS) {
    const detail = `${Math.floor(ageMs / DAY_MS)} days old; the ledger keeps ${ledgerDays}`;
    return { reason: 'older-than-ledger', detail };
  }
  if (ageMs < -FUTURE_LIMIT_MS) {
    return { reason: 'from-the-future', detail: `${-Math.round(ageMs / HOUR_MS)} h ahead` };
  }
  return null;
}
