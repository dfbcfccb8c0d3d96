import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Does it again and again with a pause between, until Ctrl-C; what is under way then is left. What `work` throws ends it, too. */
export async function untilInterrupted(pauseMs: number, work: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const interrupted = once(process, 'SIGINT', { signal: ended.signal });
  const repeated = async () => {
    while (!ended.signal.aborted) {
      await work();
      await sleep(pauseMs, undefined, { signal: ended.signal });
    }
  };
  try {
    await Promise.race([repeated(), interrupted]);
  } finally {
    ended.abort();
  }
}
