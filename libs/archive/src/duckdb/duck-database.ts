import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface DuckSettings {
  /** Beyond it DuckDB spills to `spillFolder`. */
  memoryMb: number;
  threads: number;
  spillFolder: string;
}

/** A connection with temporary tables of its own. */
export interface DuckSession {
  run(statement: string): Promise<void>;
  /** BIGINT comes as bigint, so select what is a number AS DOUBLE, and what is not AS VARCHAR. */
  rows<Row>(statement: string): Promise<Row[]>;
}

/**
 * The only home of DuckDB: one instance in memory, bounded, opened when first needed (its library takes 70 MB),
 * which reads and writes files and keeps nothing. It loads no extension and asks no network.
 */
export class DuckDatabase {
  #instance: Promise<DuckDBInstance> | undefined;

  constructor(private readonly settings: DuckSettings) {}

  /** Runs `work` on a session of its own; aborted, what is running ends with an error. */
  async session<T>(work: (session: DuckSession) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#instance ??= this.#open();
    const connection = await (await this.#instance).connect();
    const interrupt = () => connection.interrupt();
    signal?.addEventListener('abort', interrupt);
    try {
      await connection.run(`SET TimeZone = 'UTC'`);
      return await work(sessionOn(connection));
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  }

  async close(): Promise<void> {
    const instance = await this.#instance;
    this.#instance = undefined;
    instance?.closeSync();
  }

  async #open(): Promise<DuckDBInstance> {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const { memoryMb, threads, spillFolder } = this.settings;
    return DuckDBInstance.create(':memory:', {
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      temp_directory: spillFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
  }
}

function sessionOn(connection: DuckDBConnection): DuckSession {
  return {
    run: async (statement) => {
      await connection.run(statement);
    },
    rows: async <Row>(statement: string) => {
      const reader = await connection.runAndReadAll(statement);
      return reader.getRowObjectsJS() as Row[];
    },
  };
}
