import 'reflect-metadata';

import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { currentActor, onlyAsks } from '@hopcount/runtime';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  MigrationExecutor,
  type ObjectLiteral,
  type QueryRunner,
  QueryRunnerAlreadyReleasedError,
  type Repository,
} from 'typeorm';

import type { BoundedClient } from './bounded-client.js';
import {
  ACTOR_SETTING,
  clientSettings,
  CONNECT_TIMEOUT_MS,
  type DatabaseOptions,
  isBehindPgbouncer,
  POOL_SIZE,
  ROLE_SETTINGS,
} from './client-settings.js';
import { copyFrom, copyTo } from './copy.js';
import { ENTITIES } from './entities/index.js';
import { MIGRATIONS } from './migrations/index.js';
import { classifyPostgresError, isServerAway, mustEndSession, postgresErrorCode } from './postgres.errors.js';
import { runPipelined } from './pipelined-transaction.js';
import { type PoolUse, useOf } from './postgres.metrics.js';
import type { Queryable } from './queryable.js';
import { Replica, type ReplicaState } from './replica.js';
import { withLockRetries } from './with-lock-retries.js';

const SHORT_WAITS = { lock_timeout: '1s' };
/** Of whoever applies migrations, for as long as it takes. */
const HOLD_LOCK = `SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(hashtext('hopcount-migrate'))`;
/** Doubled for each further conflict, each with a random share: transactions that met once must not meet again. */
const CONFLICT_FIRST_WAIT_MS = 10;
const CONFLICT_LONGEST_WAIT_MS = 500;
const MIGRATION_RETRIES = { attempts: 60, pauseMs: 1_000 };

/** One open transaction; `manager` is TypeORM's, for entities. */
export interface Transaction extends Queryable {
  readonly manager: EntityManager;
  /**
   * Streams what a `COPY … TO STDOUT` sends into `sink`, at the sink's pace; resolves with the number of rows.
   * The sink's time counts as the statement's. Aborted, it ends with an error and the connection with it.
   */
  copyTo(statement: string, sink: Writable, signal?: AbortSignal): Promise<number>;
  /**
   * Streams `source` into a `COPY … FROM STDIN`, at the server's pace; resolves with the number of rows once the server
   * has all of them. Failed or aborted, the connection ends, and with it the transaction.
   */
  copyFrom(statement: string, source: Readable, signal?: AbortSignal): Promise<number>;
  /** Rows that are there already (CopyRows), as one answer: bounded as a statement is. `statements` end with the COPY. */
  copyRows(statements: string, rows: Uint8Array): Promise<number>;
}

export interface TransactionOptions {
  isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
  /** Statements that are asked in one turn are sent together, see runPipelined(). */
  readOnly?: boolean;
  /** How often it is run again after a deadlock or serialization failure, after pauses without a connection; 0 unless given. */
  conflictRetries?: number;
  /** Reads only, and an answer as old as the replica is one: goes there if there is one that answers. Runs anew on the primary if not. */
  mayLag?: boolean;
}

interface Executed<Row> {
  rows: Row[];
  affected: number;
}

/** The only way to PostgreSQL: a pool of connections, in UTC, with bounded waits. */
export class Database implements Queryable {
  #opening: Promise<unknown> | null = null;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly isBehindPgbouncer: boolean,
    private readonly replica: Replica | null,
  ) {}

  /**
   * Opens the pool; where only the replica answers, as soon as the primary does.
   * @throws the driver's error when no connection can be made (see classifyPostgresError).
   */
  static async connect(options: DatabaseOptions): Promise<Database> {
    const { replicaUrl, ...own } = options;
    const replica =
      replicaUrl === undefined
        ? null
        : new Replica(() => Database.connect({ ...own, url: replicaUrl, isReadOnly: true }));
    const database = new Database(createDataSource(own), isBehindPgbouncer(own.url), replica);
    try {
      await database.#open();
    } catch (error) {
      if (!isServerAway(error) || (await replica?.state()) !== 'standby') {
        await replica?.close();
        throw error;
      }
    }
    return database;
  }

  /** null: none was named. */
  async replicaState(): Promise<ReplicaState | null> {
    return this.replica === null ? null : this.replica.state();
  }

  /** Of the primary's. */
  get poolUse(): PoolUse {
    const { master } = this.dataSource.driver as unknown as { master?: Parameters<typeof useOf>[0] };
    return useOf(master, this.dataSource.options.poolSize ?? POOL_SIZE);
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.dataSource.getRepository(entity);
  }

  async query<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.execute<Row>(text, values)).rows;
  }

  execute<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Executed<Row>> {
    return this.#orReplica(
      () => this.#execute<Row>(text, values),
      (replica) => replica.execute<Row>(text, values),
    );
  }

  async #execute<Row>(text: string, values: unknown[]): Promise<Executed<Row>> {
    const runner = await this.#runner();
    try {
      return await run<Row>(runner, text, values);
    } catch (error) {
      await endIfUseless(runner, error);
      throw connectionLostOr(error);
    } finally {
      await runner.release();
    }
  }

  /**
   * Runs `work` in one transaction and commits; any error rolls back and is thrown on. Runs it again only
   * when told to: the caller knows whether that is right. What it changes is noted as the request's whose work this is
   * (actingAs() in libs/runtime); a statement outside of a transaction would be noted as the program's.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const same = { ...options, mayLag: false, ...(options.mayLag === true && { readOnly: true }) };
    const ofReplica = (replica: Database) => replica.transaction(work, same);
    const otherwise = () => this.#orReplica(() => this.#run(work, same), ofReplica);
    return options.mayLag === true && this.replica !== null ? this.replica.runElse(ofReplica, otherwise) : otherwise();
  }

  /** A request that changes nothing is answered by the replica while the primary is away. */
  async #orReplica<T>(ask: () => Promise<T>, ofReplica: (replica: Database) => Promise<T>): Promise<T> {
    if (this.replica === null) return ask();
    if (onlyAsks()) return this.replica.runWhileAway(ask, ofReplica);
    const answer = await ask();
    this.replica.primaryAnswered();
    return answer;
  }

  async #runner(): Promise<QueryRunner> {
    await this.#open();
    return this.dataSource.createQueryRunner();
  }

  #open(): Promise<unknown> {
    this.#opening ??= this.dataSource.initialize().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #run<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#runOnce(work, options);
      } catch (error) {
        if (retries >= (options.conflictRetries ?? 0) || classifyPostgresError(error) !== 'conflict') throw error;
      }
      const waitMs = Math.min(CONFLICT_FIRST_WAIT_MS * 2 ** retries, CONFLICT_LONGEST_WAIT_MS);
      await sleep(waitMs * (0.5 + Math.random()));
    }
  }

  async #runOnce<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const runner = await this.#runner();
    try {
      const actor = options.readOnly === true ? null : currentActor();
      const client = (await runner.connect()) as BoundedClient;
      client.nextTransactionSetting = actor && { name: ACTOR_SETTING, value: JSON.stringify(actor) };
      // With the statement that begins it, as its settings: TypeORM would send one more for each.
      client.nextTransactionModes = [
        ...(options.isolation === undefined ? [] : [`ISOLATION LEVEL ${options.isolation}`]),
        ...(options.readOnly === true ? ['READ ONLY'] : []),
      ];
      if (options.readOnly === true) return await runPipelined(runner, work);
      await runner.startTransaction();
      const result = await work({
        manager: runner.manager,
        query: async <Row>(text: string, values: unknown[] = []) => (await run<Row>(runner, text, values)).rows,
        execute: <Row>(text: string, values: unknown[] = []) => run<Row>(runner, text, values),
        copyTo: (statement, sink, signal) => copyTo(runner, statement, sink, signal),
        copyFrom: (statement, source, signal) => copyFrom(runner, statement, source, signal),
        copyRows: (statements, rows) => copyRows(runner, statements, rows),
      });
      await runner.commitTransaction();
      return result;
    } catch (error) {
      // A broken connection cannot roll back; the server does it. The first error is the one that matters.
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // as above
      await endIfUseless(runner, error);
      throw connectionLostOr(error);
    } finally {
      await runner.release();
    }
  }

  /** Names of migrations this program has and the database has not. */
  async pendingMigrations(): Promise<string[]> {
    const migrations = this.dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
    const [table] = await this.query<{ exists: boolean }>(
      `SELECT to_regclass('schema_migrations') IS NOT NULL AS exists`,
    );
    if (table?.exists !== true) return migrations;
    const applied = await this.query<{ name: string }>('SELECT name FROM schema_migrations');
    const names = new Set(applied.map((row) => row.name));
    return migrations.filter((name) => !names.has(name));
  }

  /**
   * Applies pending migrations under an advisory lock, each in a transaction of its own. One that waits for a table makes
   * everybody else wait behind it, so it gives up soon and is tried again, for two minutes. The lock is of a transaction on
   * another connection: behind pgbouncer a session's own would be somebody else's a moment later. @returns their names
   */
  migrate(): Promise<string[]> {
    return this.transaction(async (tx) => {
      await tx.query(HOLD_LOCK);
      const pending = await this.pendingMigrations();
      const runner = this.dataSource.createQueryRunner();
      try {
        if (this.isBehindPgbouncer) await setRole(runner);
        const client = (await runner.connect()) as BoundedClient;
        const settings = client.transactionSettings;
        client.transactionSettings = { ...settings, ...SHORT_WAITS };
        await withLockRetries(MIGRATION_RETRIES, async () => {
          const executor = new MigrationExecutor(this.dataSource, runner);
          executor.transaction = 'each';
          await executor.executePendingMigrations();
        });
        client.transactionSettings = settings;
        await makeMonths(this);
        return pending;
      } finally {
        await runner.release();
      }
    });
  }

  async close(): Promise<void> {
    await this.replica?.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

/** Opens the pool as soon as PostgreSQL answers; `onAway` hears of each try that failed. */
export async function connectWhenUp(options: DatabaseOptions, onAway: (error: unknown) => void): Promise<Database> {
  for (let waitMs = 250; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await Database.connect(options);
    } catch (error) {
      onAway(error);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

/** For sessions that begin from now on. */
async function setRole(runner: QueryRunner): Promise<void> {
  const [{ name }] = (await runner.query('SELECT quote_ident(current_database()) AS name')) as [{ name: string }];
  for (const [setting, value] of Object.entries(ROLE_SETTINGS)) {
    await runner.query(`ALTER ROLE CURRENT_USER IN DATABASE ${name} SET ${setting} = '${value}'`);
  }
}

/** Somebody who reads the ledger for long holds this up: then the worker makes the months, and `doctor` says which are missing. */
async function makeMonths(database: Database): Promise<void> {
  try {
    await database.query("SELECT create_visit_partitions(now() - interval '2 months', now() + interval '2 months')");
  } catch (error) {
    if (postgresErrorCode(error) !== '55P03') throw error;
  }
}

/** The pool opens a new one. */
async function endIfUseless(runner: QueryRunner, error: unknown): Promise<void> {
  if (!mustEndSession(error)) return;
  await runner.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined); // it ends itself
}

/**
 * A connection lost between two statements, or before the only one: TypeORM releases the runner at once, and all
 * the next statement learns is that. Nobody else releases it there, so it is an outage and no defect.
 */
function connectionLostOr(error: unknown): unknown {
  if (!(error instanceof QueryRunnerAlreadyReleasedError)) return error;
  const lost = new Error('the connection was lost between two statements', { cause: error });
  return Object.assign(lost, { code: '08006' });
}

async function copyRows(runner: QueryRunner, statements: string, rows: Uint8Array): Promise<number> {
  const client = (await runner.connect()) as BoundedClient;
  return client.copyRows(statements, rows);
}

async function run<Row>(runner: QueryRunner, text: string, values: unknown[]) {
  const result = await runner.query(text, values, true);
  return { rows: (result.records ?? []) as Row[], affected: result.affected ?? 0 };
}

function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
    poolSize: options.poolSize ?? POOL_SIZE,
    connectTimeoutMS: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    // A lost idle connection is replaced on next use; it must not end the process.
    poolErrorHandler: () => undefined,
    extra: clientSettings(options),
  });
}
