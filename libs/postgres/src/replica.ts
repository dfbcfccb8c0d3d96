import type { Database } from './database.js';
import { classifyPostgresError, isServerAway, postgresErrorCode } from './postgres.errors.js';

/** For so long a replica that was away is not asked: each question would wait for its connection first. */
const AWAY_MS = 5_000;
/**
 * Files of the archive that were replaced are removed after an hour: a manifest as old as that names some which are gone. A primary that
 * writes nothing for so long looks the same, and then answers itself.
 */
const LATE = `SELECT pg_is_in_recovery() AND now() - pg_last_xact_replay_timestamp() > interval '10 minutes' AS late`;

/** A standby's pool, opened by the first question that wants it, and again after it was away. */
export class Replica {
  #opening: Promise<Database> | null = null;
  #awayUntilMs = 0;

  constructor(private readonly connect: () => Promise<Database>) {}

  /** What the replica answers; where it cannot (away, too late, in conflict with what it replays), what `otherwise` does. */
  async runElse<T>(ask: (replica: Database) => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#awayUntilMs) return otherwise();
    try {
      const replica = await this.#open();
      const [state] = await replica.query<{ late: boolean | null }>(LATE);
      if (state?.late !== true) return await ask(replica);
    } catch (error) {
      if (!isOfReplica(error)) throw error;
      if (isServerAway(error)) this.#awayUntilMs = performance.now() + AWAY_MS;
    }
    return otherwise();
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    await opening?.then((database) => database.close()).catch(() => undefined);
  }

  /** A pool that could not be opened is none: the next question tries again. */
  #open(): Promise<Database> {
    this.#opening ??= this.connect().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }
}

/** The primary may fare better: no server, a row removed under the question (40001), a migration not replayed yet (class 42). */
function isOfReplica(error: unknown): boolean {
  const code = postgresErrorCode(error);
  if (isServerAway(error) || classifyPostgresError(error) === 'conflict') return true;
  return code === '25006' || code === '3D000' || code.startsWith('42');
}
