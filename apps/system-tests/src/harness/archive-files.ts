import { join } from 'node:path';

import { DuckDBInstance } from '@duckdb/node-api';

import type { Ledger } from './ledger.js';

export interface ArchivedVisit {
  eventId: string;
  linkId: string;
}

/** The archive as anybody may read it: what counts by SQL, the files with a DuckDB of its own. */
export class ArchiveFiles {
  constructor(
    private readonly ledger: Ledger,
    /** ARCHIVE_URL of the stack. */
    readonly folder: string,
  ) {}

  pathOf(path: string): string {
    return join(this.folder, path);
  }

  /** Every visit of every active file; one that is in two files comes twice. */
  async visits(): Promise<ArchivedVisit[]> {
    const files = await this.ledger.archiveFiles('active');
    if (files.length === 0) return [];
    const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '256MB' });
    const connection = await instance.connect();
    try {
      const paths = files.map(({ path }) => `'${this.pathOf(path)}'`).join(', ');
      const reader = await connection.runAndReadAll(
        `SELECT event_id::VARCHAR AS "eventId", link_id::VARCHAR AS "linkId" FROM read_parquet([${paths}])`,
      );
      return reader.getRowObjectsJS() as unknown as ArchivedVisit[];
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }
}
