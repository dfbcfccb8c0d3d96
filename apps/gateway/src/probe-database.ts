import type { Queryable } from '@hopcount/postgres';

/** Less than the 2 s after which `Health` calls any check failed, whatever it would have said. */
const PATIENCE_MS = 1_000;

/**
 * A question whether PostgreSQL answers: undefined, or what is wrong. A server that hangs (frozen, its packets
 * dropped) is as far away as one that refuses, and is reported as soon. One query at a time: each one
 * that hangs holds one of the few connections that links are looked up on.
 */
export function probeDatabase(database: Queryable): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  const ask = () =>
    database
      .query('SELECT 1')
      .then(
        () => undefined,
        (error: Error) => error.message,
      )
      .finally(() => {
        asked = undefined;
      });
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`no answer in ${PATIENCE_MS} ms`), PATIENCE_MS);
    });
    try {
      return await Promise.race([(asked ??= ask()), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
