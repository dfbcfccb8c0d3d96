import { setTimeout as sleep } from 'node:timers/promises';

/** A scrape must not wait for a server that hangs: it has other things to tell. */
const PATIENCE_MS = 500;

/**
 * An answer for scrapes: asked for anew when the last one is older than `freshMs`, one question at a time. undefined: the
 * last question failed, or its answer is late (then the next scrape has it).
 */
export function askedAtMost<Answer>(freshMs: number, ask: () => Promise<Answer>): () => Promise<Answer | undefined> {
  let latest: Promise<Answer | undefined> = Promise.resolve(undefined);
  let isAsking = false;
  let askedAtMs = -Infinity;
  const askAgain = () => {
    if (isAsking || Date.now() - askedAtMs < freshMs) return;
    isAsking = true;
    askedAtMs = Date.now();
    latest = ask()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  };
  return () => {
    askAgain();
    return Promise.race([latest, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}
