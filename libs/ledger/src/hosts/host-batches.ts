import { HOST_BATCH_DAYS, type HostBatch, HOST_KINDS, visitClassNumber } from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { StreamTurns } from './stream-turns.js';

const ACCEPT_BATCH = loadSql(import.meta.url, 'sql/accept-batch.sql');
const REVERSE_BATCH = loadSql(import.meta.url, 'sql/reverse-batch.sql');
const EXPIRE_BATCHES = loadSql(import.meta.url, 'sql/expire-batches.sql');
const READ_BATCH = `SELECT key, body_hash, lines, visits::float8, accepted_at, settled_at, refusal, reversed_at
  FROM host_batches WHERE stream = $1 AND key = $2`;
/** Quotas are of a stream: two batches of one do not overlook each other, whichever process accepts them. */
const LOCK_STREAM = `SELECT pg_advisory_xact_lock(hashtext('host batches of ' || $1))`;

export const FED_KIND = HOST_KINDS.indexOf('fed');
/** Whoever counted them may have left out bots, or not: nobody here can tell. */
export const FED_CLASS = visitClassNumber('human');
/** A day longer than consumers take their records, whose clocks may differ. */
const KEPT_DAYS = HOST_BATCH_DAYS + 1;
/** Of 10,000 names each. */
const EXPIRED_AT_ONCE = 20;

interface GivenBatch {
  /** Whose. */
  stream: string;
  key: string;
  bodyHash: Buffer;
  /** Labels reversed; with as many counts. */
  names: readonly string[];
  counts: readonly number[];
}

interface BatchRow {
  key: string;
  body_hash: Buffer;
  lines: number;
  visits: number;
  accepted_at: Date;
  settled_at: Date | null;
  refusal: string | null;
  reversed_at: Date | null;
}

/** The ledger of what was fed: batches of counts of hosts, each of which counts once (HostBatchCommitter). */
export class HostBatches {
  readonly #turns = new StreamTurns();

  constructor(private readonly database: Database) {}

  /**
   * Before it is published. The same batch again is the same one, with the time it was first accepted at.
   * @returns undefined: the key stands for other counts
   * @throws AppError `too-many-new-hosts`: above the quota of the stream
   */
  async accept(
    { stream, key, bodyHash, names, counts }: GivenBatch,
    newHostsPerDay: number,
  ): Promise<HostBatch | undefined> {
    const visits = counts.reduce((sum, count) => sum + count, 0);
    const accepted = async (tx: Transaction) => {
      await tx.query(LOCK_STREAM, [stream]);
      const values = [stream, key, bodyHash, names.length, visits, arrayLiteral([...names]), newHostsPerDay, FED_KIND];
      await tx.query(ACCEPT_BATCH, values);
      return (await tx.query<BatchRow>(READ_BATCH, [stream, key]))[0];
    };
    const row = await this.#turns.run(stream, () => this.database.transaction(accepted));
    if (row === undefined) {
      const message = `Of the names that are fed ${newHostsPerDay} may be new in 24 hours (NEW_HOSTS_PER_DAY).`;
      throw new AppError('too-many-new-hosts', message);
    }
    return row.body_hash.equals(bodyHash) ? toBatch(row) : undefined;
  }

  /** @throws AppError `host-batch-not-found` */
  async get(stream: string, key: string): Promise<HostBatch> {
    const [row] = await this.database.query<BatchRow>(READ_BATCH, [stream, key]);
    if (row !== undefined) return toBatch(row);
    throw new AppError('host-batch-not-found', `No batch with this Idempotency-Key in ${HOST_BATCH_DAYS} days.`);
  }

  /** Takes away what it counted; again does nothing. @throws AppError `host-batch-not-found`, `host-batch-not-counted` */
  async reverse(stream: string, key: string): Promise<HostBatch> {
    await this.database.transaction((tx) => tx.query(REVERSE_BATCH, [stream, key, FED_KIND, FED_CLASS]));
    const batch = await this.get(stream, key);
    if (batch.state !== 'accepted') return batch;
    throw new AppError('host-batch-not-counted', 'It is not counted yet: try again shortly.', { retryable: true });
  }

  /** @returns how many are gone */
  async expire(signal?: AbortSignal): Promise<number> {
    let expired = 0;
    for (let some = EXPIRED_AT_ONCE; some === EXPIRED_AT_ONCE && signal?.aborted !== true; expired += some) {
      const { rows } = await this.database.execute<{ gone: number }>(EXPIRE_BATCHES, [
        ...[KEPT_DAYS, EXPIRED_AT_ONCE, FED_KIND],
      ]);
      some = rows[0]?.gone ?? 0;
    }
    return expired;
  }
}

function toBatch(row: BatchRow): HostBatch {
  const { key, lines, visits, accepted_at: acceptedAt, settled_at: settledAt, reversed_at: reversedAt } = row;
  const settled = row.refusal === null ? 'counted' : 'refused';
  const unless = settledAt === null ? 'accepted' : settled;
  return {
    ...{ key, lines, visits, acceptedAt: acceptedAt.toISOString() },
    state: reversedAt === null ? unless : 'reversed',
    countedAt: settled === 'counted' ? (settledAt?.toISOString() ?? null) : null,
    reversedAt: reversedAt?.toISOString() ?? null,
  };
}
