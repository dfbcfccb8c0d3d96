const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first failure in a row, the second …: not quite a day in all. */
const PAUSES_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];
const LAST_PAUSE_MS = 8 * HOUR;
const PATIENCE_MS = 24 * HOUR;

/** How a webhook goes. Failing means that nothing was taken since `failingSince`. */
export interface WebhookState {
  failures: number;
  failingSince: Date | null;
}

export interface FailedState {
  failures: number;
  failingSince: Date;
  /** When it is tried again; null: it is disabled. */
  resumesAt: Date | null;
}

/** A webhook after one more failure: it pauses longer each time, and ends when nothing was taken for a day. */
export function afterFailure({ failures, failingSince }: WebhookState, now: Date): FailedState {
  const since = failingSince ?? now;
  const endsAtMs = since.getTime() + PATIENCE_MS;
  if (now.getTime() >= endsAtMs) return { failures: failures + 1, failingSince: since, resumesAt: null };
  const resumesAt = new Date(Math.min(now.getTime() + pauseMs(failures + 1), endsAtMs));
  return { failures: failures + 1, failingSince: since, resumesAt };
}

/**
 * An event that was not taken, after so many attempts. While its webhook takes nothing at all it waits with it; else it is the
 * event that is not taken, and null: it is given up, after not quite a day.
 */
export function nextAttempt(
  attempts: number,
  webhook: Pick<FailedState, 'failures' | 'resumesAt'>,
  now: Date,
): Date | null {
  if (webhook.failures > 1) return webhook.resumesAt ?? now;
  return attempts > PAUSES_MS.length + 1 ? null : new Date(now.getTime() + pauseMs(attempts));
}

function pauseMs(failures: number): number {
  return PAUSES_MS[failures - 1] ?? LAST_PAUSE_MS;
}
