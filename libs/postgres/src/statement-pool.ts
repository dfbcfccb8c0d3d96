import type { Socket } from 'node:net';

import pg from 'pg';

import { clientSettings, CONNECT_TIMEOUT_MS, type DatabaseOptions, POOL_SIZE } from './client-settings.js';
import { mustEndSession } from './postgres.errors.js';
import { type PoolUse, useOf } from './postgres.metrics.js';
import type { Queryable } from './queryable.js';

/**
 * Connections for single statements, as {@link Database} opens them, but none until the first statement and without
 * TypeORM (28 MB): for a process that starts without PostgreSQL, and tries again with each statement.
 */
export class StatementPool implements Queryable {
  readonly #pool: pg.Pool;
  readonly #busy = new Set<pg.PoolClient>();

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      connectionString: options.url,
      application_name: options.applicationName,
      max: options.poolSize ?? POOL_SIZE,
      connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      // The pool gives its own settings to each client it makes.
      ...(clientSettings(options) as unknown as pg.PoolConfig),
    });
    // A lost connection is replaced on next use; it must not end the process.
    this.#pool.on('error', ignored);
    // Also of one that is lost between being handed out and its first statement.
    this.#pool.on('connect', (client) => client.on('error', ignored));
  }

  get poolUse(): PoolUse {
    return useOf(this.#pool, this.#pool.options.max);
  }

  async query<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.execute<Row>(text, values)).rows;
  }

  async execute<Row = Record<string, unknown>>(text: string, values: unknown[] = []) {
    const client = await this.#pool.connect();
    this.#busy.add(client);
    let mustEnd = false;
    try {
      const { rows, rowCount } = await client.query(text, values);
      return { rows: rows as Row[], affected: rowCount ?? 0 };
    } catch (error) {
      mustEnd = mustEndSession(error);
      throw error;
    } finally {
      this.#busy.delete(client);
      client.release(mustEnd);
    }
  }

  /** At once: statements under way are rejected. */
  close(): Promise<void> {
    const ended = this.#pool.end();
    for (const client of this.#busy) (client as unknown as HasSocket).connection.stream.destroy();
    return ended;
  }
}

/** What pg's types leave out. */
interface HasSocket {
  connection: { stream: Socket };
}

/** The statement on the connection rejects all the same. */
const ignored = () => undefined;
