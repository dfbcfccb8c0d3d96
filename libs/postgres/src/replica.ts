import type { Database } from './database.js';
import { classifyPostgresError, isServerAway, postgresErrorCode } from './postgres.errors.js';
import type { Queryable } from './queryable.js';

/**
 * `late`: by ten minutes or more. `promoted`: it is no standby, so it is the primary itself after a failover, or an old one, whose
 * numbers are of another history; nothing it could be asked tells which.
 */
export type ReplicaState = 'standby' | 'late' | 'promoted' | 'away';

/** For so long a replica that was away is not asked: each question would wait for its connection first. */
const AWAY_MS = 5_000;
/** The same of a primary, shorter: whoever changes something there wants to see it. */
const PRIMARY_AWAY_MS = 1_000;
/**
 * Files of the archive that were replaced are removed after an hour: a manifest as old as that names some which are gone. A primary that
 * writes nothing for so long looks the same, and then answers itself.
 */
const LATE_SECONDS = 600;
/** Of a standby that answers because its primary is away: keys that were revoked there and visits purged are as old as this at most. */
const TOO_LATE_SECONDS = 3_600;
const READ_STATE = `SELECT pg_is_in_recovery() AS standby,
  extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 AS seconds`;

/** A standby's pool, opened by the first question that wants it, and again after it was away. */
export class Replica {
  #opening: Promise<Database> | null = null;
  #awayUntilMs = 0;
  #primaryAwayUntilMs = 0;

  constructor(private readonly connect: () => Promise<Database>) {}

  /** What the replica answers; where it cannot (away, too late, promoted, in conflict with what it replays), what `otherwise` does. */
  async runElse<T>(ask: (replica: Database) => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#awayUntilMs) return otherwise();
    try {
      const replica = await this.#open();
      if ((await stateOf(replica, LATE_SECONDS)) === 'standby') return await ask(replica);
    } catch (error) {
      if (!isOfReplica(error)) throw error;
      if (isServerAway(error)) this.#awayUntilMs = performance.now() + AWAY_MS;
    }
    return otherwise();
  }

  /** What the primary answers; while it is away, what the replica says to `ask`, which writes nothing. @throws the primary's error */
  async runWhileAway<T>(ofPrimary: () => Promise<T>, ask: (replica: Database) => Promise<T>): Promise<T> {
    if (performance.now() < this.#primaryAwayUntilMs) return this.#askInstead(ask, ofPrimary);
    try {
      return await ofPrimary();
    } catch (error) {
      if (!isServerAway(error)) throw error;
      this.#primaryAwayUntilMs = performance.now() + PRIMARY_AWAY_MS;
      return this.#askInstead(ask, () => Promise.reject(error as Error));
    }
  }

  /** What it was changed by is to be seen from now on. */
  primaryAnswered(): void {
    this.#primaryAwayUntilMs = 0;
  }

  async state(): Promise<ReplicaState> {
    try {
      return await stateOf(await this.#open(), LATE_SECONDS);
    } catch (error) {
      if (!isOfReplica(error)) throw error;
      return 'away';
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    // It never opened: there is nothing to close.
    await opening?.then((database) => database.close()).catch(() => undefined);
  }

  async #askInstead<T>(ask: (replica: Database) => Promise<T>, otherwise: () => Promise<T>): Promise<T> {
    try {
      const replica = await this.#open();
      if ((await stateOf(replica, TOO_LATE_SECONDS)) === 'standby') return await ask(replica);
    } catch (error) {
      if (!isOfReplica(error)) throw error;
    }
    return otherwise();
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

async function stateOf(replica: Queryable, lateSeconds: number): Promise<ReplicaState> {
  const [row] = await replica.query<{ standby: boolean; seconds: number | null }>(READ_STATE);
  if (row?.standby !== true) return 'promoted';
  return (row.seconds ?? 0) > lateSeconds ? 'late' : 'standby';
}

/** The primary may fare better: no server, a row removed under the question (40001), a migration not replayed yet (class 42). */
function isOfReplica(error: unknown): boolean {
  const code = postgresErrorCode(error);
  if (isServerAway(error) || classifyPostgresError(error) === 'conflict') return true;
  return code === '25006' || code === '3D000' || code.startsWith('42');
}
