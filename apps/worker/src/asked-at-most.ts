import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@hopcount/runtime';

/** A scrape must not wait for a server that hangs: it has other things to tell. */
const PATIENCE_MS = 500;

/**
 * An answer for scrapes: asked for anew when the last one is older than `freshMs`, one question at a time. undefined: the
 * last question failed, or its answer is late (then the next scrape has it). The first failure in a row is logged: an alert
 * on a number that is unknown never fires.
 */
export function askedAtMost<Answer>(
  logger: Pick<Logger, 'warn'>,
  freshMs: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer | undefined> {
  let latest: Promise<Answer | undefined> = Promise.resolve(undefined);
  let isAsking = false;
  let askedAtMs = -Infinity;
  let hasFailed = false;
  const askAgain = () => {
    if (isAsking || Date.now() - askedAtMs < freshMs) return;
    isAsking = true;
    askedAtMs = Date.now();
    latest = ask()
      .then(
        (answer) => {
          hasFailed = false;
          return answer;
        },
        (error: unknown) => {
          if (!hasFailed) logger.warn({ err: error }, 'a number for /metrics cannot be read; it is unknown until then');
          hasFailed = true;
          return undefined;
        },
      )
      .finally(() => {
        isAsking = false;
      });
  };
  return () => {
    askAgain();
    return Promise.race([latest, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}
