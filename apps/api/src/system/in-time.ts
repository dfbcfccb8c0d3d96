const WAIT_MS = 5_000;

export class LateAnswer extends Error {}

/** @throws LateAnswer when there is no answer after five seconds: the asking goes on, but nobody waits for it */
export async function inTime<Answer>(asking: Promise<Answer>, waitMs = WAIT_MS): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateAnswer(`no answer in ${waitMs} ms`)), waitMs);
  });
  asking.catch(() => undefined);
  return Promise.race([asking, late]).finally(() => clearTimeout(timer));
}
