import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '@hopcount/runtime';

import { ARCHIVE_ERRORS } from '../archive.errors.js';

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
  /** Aborted, no statement begins any more; what else is done for the session shall end, too. */
  readonly signal: AbortSignal | undefined;
}

const REASON_LENGTH = 300;

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
      return await work(sessionOn(connection, signal));
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
      instance.closeSync();
    }
  }
}

function sessionOn(connection: DuckDBConnection, signal: AbortSignal | undefined): DuckSession {
  return {
    signal,
    run: async (statement) => {
      signal?.throwIfAborted();
      await connection.run(statement).catch(throwWithCode);
    },
    rows: async <Row>(statement: string) => {
      signal?.throwIfAborted();
      const reader = await connection.runAndReadAll(statement).catch(throwWithCode);
      return reader.getRowObjectsJS() as Row[];
    },
  };
}

/** Its errors have no code, and quote rows after the first line. */
function throwWithCode(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  const code = /no space left/i.test(text) ? 'archive-no-space' : 'archive-engine-failed';
  const reason = text.split('\n', 1)[0]?.slice(0, REASON_LENGTH);
  throw new AppError(code, `${ARCHIVE_ERRORS['archive-engine-failed']} ${reason}`, { details: { reason } });
}
