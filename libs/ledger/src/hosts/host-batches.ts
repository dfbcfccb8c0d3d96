import {
  HOST_BATCH_DAYS,
  HOST_BATCH_REVERSIBLE_DAYS,
  type HostBatch,
  HOST_KINDS,
  visitClassNumber,
} from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { StreamTurns } from './stream-turns.js';

const ACCEPT_BATCH = loadSql(import.meta.url, 'sql/accept-batch.sql');
const REVERSE_BATCH = loadSql(import.meta.url, 'sql/reverse-batch.sql');
const WITHDRAW_BATCH = loadSql(import.meta.url, 'sql/withdraw-batch.sql');
const END_BATCHES = loadSql(import.meta.url, 'sql/end-batches.sql');
const EXPIRE_BATCHES = loadSql(import.meta.url, 'sql/expire-batches.sql');
const EXPIRE_DAYS = `DELETE FROM host_feed_days WHERE day < (now() AT TIME ZONE 'UTC')::date - 1`;
const LIST_BATCHES = loadSql(import.meta.url, 'sql/list-batches.sql');
/** Quotas are of a stream: two batches of one do not overlook each other, whichever process accepts them. */
const LOCK_STREAM = `SELECT pg_advisory_xact_lock(hashtext('host batches of ' || $1))`;

export const FED_KIND = HOST_KINDS.indexOf('fed');
/** Whoever counted them may have left out bots, or not: nobody here can tell. */
export const FED_CLASS = visitClassNumber('human');
/** A day longer than consumers take their records, whose clocks may differ. */
const KEPT_DAYS = HOST_BATCH_DAYS + 1;
/** Of 10,000 names each. */
const ENDED_AT_ONCE = 20;
const EXPIRED_AT_ONCE = 1_000;
/** Of a day's lines a batch takes these beside its own: each has a row. */
const LINES_OF_BATCH = 100;

/** Of a stream, in a day (UTC). */
export interface FeedLimits {
  newHostsPerDay: number;
  hostCountsPerDay: number;
}

interface GivenBatch {
  /** Whose. */
  stream: string;
  key: string;
  bodyHash: Buffer;
  /** Labels reversed; with as many counts. */
  names: readonly string[];
  counts: readonly number[];
}

interface BeyondLimits {
  tooManyNames: boolean;
  tooManyLines: boolean;
}

interface BatchFilter {
  stream?: string | null;
  key?: string | null;
  /** Accepted then or later. */
  since?: Date | null;
  /** Only those that a reversal would change. */
  isReversible?: boolean;
  limit: number;
}

interface BatchRow {
  stream: string;
  key: string;
  body_hash: Buffer;
  lines: number;
  visits: number;
  accepted_at: Date;
  settled_at: Date | null;
  refusal: string | null;
  reversed_at: Date | null;
  /** Its counts are there. */
  is_whole: boolean;
}

/** The ledger of what was fed: batches of counts of hosts, each of which counts once (HostBatchCommitter). */
export class HostBatches {
  readonly #turns = new StreamTurns();

  constructor(private readonly database: Database) {}

  /**
   * Before it is published. The same batch again is the same one, with the time it was first accepted at.
   * @returns undefined: the key stands for other counts
   * @throws AppError `too-many-new-hosts`, `too-many-counts`: above the quota of the stream
   */
  async accept(
    { stream, key, bodyHash, names, counts }: GivenBatch,
    { newHostsPerDay, hostCountsPerDay }: FeedLimits,
  ): Promise<HostBatch | undefined> {
    const visits = counts.reduce((sum, count) => sum + count, 0);
    const accept = async (tx: Transaction) => {
      await tx.query(LOCK_STREAM, [stream]);
      const [limits] = await tx.query<BeyondLimits>(ACCEPT_BATCH, [
        ...[stream, key, bodyHash, names.length, visits, arrayLiteral([...names])],
        ...[newHostsPerDay, FED_KIND, hostCountsPerDay, LINES_OF_BATCH],
      ]);
      return { row: await read(tx, stream, key), limits };
    };
    const { row, limits } = await this.#turns.run(stream, () => this.database.transaction(accept));
    if (row !== undefined) return row.body_hash.equals(bodyHash) ? toBatch(row) : undefined;
    if (limits?.tooManyLines === true) {
      const most = `${hostCountsPerDay} lines may be fed in a day (HOST_COUNTS_PER_DAY)`;
      throw new AppError('too-many-counts', `${most}, and a batch takes ${LINES_OF_BATCH} beside its own.`);
    }
    const message = `Of the names that are fed ${newHostsPerDay} may be new in a day (NEW_HOSTS_PER_DAY).`;
    throw new AppError('too-many-new-hosts', message);
  }

  /** @throws AppError `host-batch-not-found` */
  async get(stream: string, key: string): Promise<HostBatch> {
    return toBatch(await this.#known(stream, key));
  }

  /** The newest first. */
  async list({ stream = null, key = null, since = null, isReversible = false, limit }: BatchFilter) {
    const values = [stream, key, since, isReversible, limit];
    const rows = await this.database.query<BatchRow>(LIST_BATCHES, values);
    return rows.map((row) => ({ stream: row.stream, ...toBatch(row) }));
  }

  /**
   * Takes away what it counted, or sees to it that it never counts; again does nothing.
   * @throws AppError `host-batch-not-found`, `host-batch-ended`
   */
  async reverse(stream: string, key: string): Promise<HostBatch> {
    await this.database.transaction(async (tx) => {
      // A consumer that is counting it is waited for, and then it is counted.
      await tx.query(WITHDRAW_BATCH, [stream, key]);
      await tx.query(REVERSE_BATCH, [stream, key, FED_KIND, FED_CLASS]);
    });
    const row = await this.#known(stream, key);
    const batch = toBatch(row);
    // It came meanwhile.
    if (batch.state === 'accepted' || (batch.state === 'counted' && row.is_whole)) return this.reverse(stream, key);
    if (batch.state !== 'counted') return batch;
    const message = `It was counted more than ${HOST_BATCH_REVERSIBLE_DAYS} days ago: what it counted is not known any more.`;
    throw new AppError('host-batch-ended', message);
  }

  /** @returns how many lost their names, since nobody can reverse them any more, and how many are gone */
  async expire(signal?: AbortSignal): Promise<{ ended: number; expired: number }> {
    const report = { ended: 0, expired: 0 };
    const isStopped = () => signal?.aborted === true;
    for (let some = ENDED_AT_ONCE; some === ENDED_AT_ONCE && !isStopped(); report.ended += some) {
      const values = [HOST_BATCH_REVERSIBLE_DAYS, ENDED_AT_ONCE, FED_KIND];
      some = (await this.database.query<{ ended: number }>(END_BATCHES, values))[0]?.ended ?? 0;
    }
    for (let some = EXPIRED_AT_ONCE; some === EXPIRED_AT_ONCE && !isStopped(); report.expired += some) {
      some = (await this.database.execute(EXPIRE_BATCHES, [KEPT_DAYS, EXPIRED_AT_ONCE])).affected;
    }
    await this.database.execute(EXPIRE_DAYS);
    return report;
  }

  async #known(stream: string, key: string): Promise<BatchRow> {
    const row = await read(this.database, stream, key);
    if (row !== undefined) return row;
    throw new AppError('host-batch-not-found', `No batch with this Idempotency-Key in ${HOST_BATCH_DAYS} days.`);
  }
}

async function read(queryable: Queryable, stream: string, key: string): Promise<BatchRow | undefined> {
  return (await queryable.query<BatchRow>(LIST_BATCHES, [stream, key, null, false, 1]))[0];
}

function toBatch(row: BatchRow): HostBatch {
  const { key, lines, visits, accepted_at: acceptedAt, settled_at: settledAt, reversed_at: reversedAt } = row;
  const refused = row.refusal === 'withdrawn' ? 'withdrawn' : 'refused';
  const settled = row.refusal === null ? 'counted' : refused;
  const unless = settledAt === null ? 'accepted' : settled;
  return {
    ...{ key, lines, visits, acceptedAt: acceptedAt.toISOString() },
    state: reversedAt === null ? unless : 'reversed',
    countedAt: settled === 'counted' ? (settledAt?.toISOString() ?? null) : null,
    reversedAt: reversedAt?.toISOString() ?? null,
  };
}
