/** Less than the 2 s after which `Health` calls any check failed, whatever it would have said. */
const PATIENCE_MS = 1_000;

/**
 * A question to PostgreSQL: undefined, or what is wrong. A server that hangs (frozen, its packets
 * dropped) is as far away as one that refuses, and is reported as soon. One query at a time: each one
 * that hangs holds one of the few connections that links are looked up on.
 * @param question resolves with what is wrong with the answer, or nothing; rejects where there is none
 */
export function probeDatabase(
  question: () => Promise<string | undefined>,
  patienceMs = PATIENCE_MS,
): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  const ask = () =>
    question()
      .catch((error: Error) => error.message)
      .finally(() => {
        asked = undefined;
      });
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer in ${patienceMs} ms`), patienceMs);
    });
    try {
      return await Promise.race([(asked ??= ask()), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
