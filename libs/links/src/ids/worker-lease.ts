import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { loadSql, type Queryable } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';

import type { WorkerIdSource } from './snowflake.js';

const LEASE = loadSql(import.meta.url, 'sql/lease-worker.sql');
const RENEW = loadSql(import.meta.url, 'sql/renew-worker.sql');
/** The row stays, so that the id rests before somebody else takes it. */
const RELEASE = `UPDATE worker_leases SET expires_at = now() WHERE worker_id = $1 AND owner = $2 AND expires_at > now()`;

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
/** The holder stops this long before PostgreSQL thinks it must. */
const MARGIN_MS = 5_000;
const REST_MS = 60_000;
const ATTEMPTS = 8;

export interface WorkerLeaseOptions {
  logger: Logger;
  leaseMs?: number;
  renewEveryMs?: number;
  marginMs?: number;
  restMs?: number;
  /** Monotonic milliseconds; the wall clock may step. */
  nowMs?: () => number;
  /** Epoch milliseconds, as {@link Snowflakes} has them. */
  wallMs?: () => number;
}

interface Held {
  workerId: number;
  deadlineMs: number;
  fromMs: number;
  untilMs: number;
}

type LeasedRow = { worker_id: number; last_ms: string };

/**
 * One of 1,024 worker ids, leased in PostgreSQL.
 *
 * States: `none` → `held` (acquire) → `none` (the deadline passed without a renewal, or PostgreSQL
 * says that the lease ended) → `held` (another id) → … → `closed`. The deadline counts from before the
 * request, on a monotonic clock, so that the holder always stops earlier than another can start.
 *
 * With the id come milliseconds of the wall clock that nobody else has under it (`last_ms`): from now on, for as long as
 * a lease, and longer with each renewal. An id is taken only where all that were had before are over by the taker's
 * clock; one that was set back finds only ids that rested longer, or none, and then makes nothing.
 */
export class WorkerLease implements WorkerIdSource {
  readonly #owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  readonly #options: Required<WorkerLeaseOptions>;
  #held: Held | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #closed = false;

  constructor(
    private readonly database: Queryable,
    options: WorkerLeaseOptions,
  ) {
    this.#options = {
      leaseMs: LEASE_MS,
      renewEveryMs: RENEW_EVERY_MS,
      marginMs: MARGIN_MS,
      restMs: REST_MS,
      nowMs: () => performance.now(),
      wallMs: Date.now,
      ...options,
    };
  }

  current(): number | undefined {
    if (this.#closed || this.#held === undefined || this.#options.nowMs() >= this.#held.deadlineMs) return undefined;
    return this.#held.workerId;
  }

  /** Of the id that is held. */
  window(): { fromMs: number; untilMs: number } {
    return this.#held ?? { fromMs: 0, untilMs: 0 };
  }

  /** Takes an id and keeps it until {@link close}. @throws the database's error when none can be had now */
  async start(): Promise<void> {
    await this.renew();
    this.#timer = setInterval(() => {
      this.renew().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, 'snowflake worker lease not renewed');
      });
    }, this.#options.renewEveryMs);
    this.#timer.unref();
  }

  /** Renews the lease, or takes a new one when there is none; calls at the same time share one attempt. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renewOrAcquire().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing?.catch(() => undefined);
    this.#closed = true;
    const held = this.#held;
    this.#held = undefined;
    // It runs out by itself.
    if (held !== undefined) await this.database.query(RELEASE, [held.workerId, this.#owner]).catch(() => undefined);
  }

  async #renewOrAcquire(): Promise<void> {
    if (this.#closed) return;
    const { leaseMs, restMs, logger, wallMs } = this.#options;
    if (this.#held !== undefined) {
      const { workerId, fromMs } = this.#held;
      const startedMs = this.#options.nowMs();
      const untilMs = wallMs() + leaseMs;
      const [row] = await this.database.query<LeasedRow>(RENEW, [workerId, this.#owner, leaseMs, untilMs]);
      if (row !== undefined) return this.#hold(row, fromMs, startedMs);
      this.#held = undefined;
      logger.warn({ workerId }, 'snowflake worker lease lost');
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const startedMs = this.#options.nowMs();
      const fromMs = wallMs();
      const [row] = await this.database.query<LeasedRow>(LEASE, [this.#owner, leaseMs, restMs, fromMs]);
      if (row !== undefined) return this.#hold(row, fromMs, startedMs);
    }
    throw new Error(
      'no snowflake worker id is free: all are held, rest, or were used later than this clock says it is',
    );
  }

  #hold(row: LeasedRow, fromMs: number, startedMs: number): void {
    const deadlineMs = startedMs + this.#options.leaseMs - this.#options.marginMs;
    this.#held = { workerId: row.worker_id, deadlineMs, fromMs, untilMs: Number(row.last_ms) };
  }
}
