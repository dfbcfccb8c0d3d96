import type { DuckDBConnection } from '@duckdb/node-api';

export interface DuckSettings {
  /** Beyond it DuckDB spills to `spillFolder`. */
  memoryMb: number;
  threads: number;
  /** Of this process alone: DuckDB's names in it are always the same. */
  spillFolder: string;
}

/** A database of its own, in memory, until the session ends. */
export interface DuckSession {
  run(statement: string): Promise<void>;
  /** BIGINT comes as bigint, so select what is a number AS DOUBLE, and what is not AS VARCHAR. */
  rows<Row>(statement: string): Promise<Row[]>;
}

/**
 * The only home of DuckDB: it reads and writes files and keeps nothing, so its memory goes with each session. It
 * loads no extension and asks no network; its library (70 MB) is loaded when first needed.
 */
export class DuckDatabase {
  constructor(private readonly settings: DuckSettings) {}

  /** Aborted, what is running ends with an error. */
  async session<T>(work: (session: DuckSession) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const { memoryMb, threads, spillFolder } = this.settings;
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      temp_directory: spillFolder,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
    const connection = await instance.connect();
    const interrupt = () => connection.interrupt();
    signal?.addEventListener('abort', interrupt);
    try {
      await connection.run(`SET TimeZone = 'UTC'`);
      return await work(sessionOn(connection));
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
      instance.closeSync();
    }
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
