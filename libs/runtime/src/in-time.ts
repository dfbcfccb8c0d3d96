export class LateAnswer extends Error {}

/** What the work gives. @throws LateAnswer when that takes longer; the work goes on, but nobody waits for it; what the work throws */
export async function inTime<Answer>(work: Promise<Answer>, patienceMs: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateAnswer(`no answer in ${patienceMs} ms`)), patienceMs);
  });
  work.catch(() => undefined);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
