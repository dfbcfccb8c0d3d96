import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { Pool } from 'pg';
import copyStreams from 'pg-copy-streams';

/** As many as the consumer handles partitions at the same time. */
const CONNECTIONS = 3;

interface Column {
  name: string;
  type: string;
}

/**
 * The rows of the ledger as the consumer wrote them, kept outside PostgreSQL, to be written again with
 * nothing around them: what that costs is the most a consumer could reach.
 */
export class LedgerCopy {
  private constructor(
    private readonly pool: Pool,
    private readonly columns: Column[],
    /** Values as text, row by row, in key order. */
    private readonly rows: (string | null)[][],
    /** The same rows, each as a line of COPY's text format. */
    private readonly lines: Buffer[],
  ) {}

  static async take(pool: Pool): Promise<LedgerCopy> {
    const { rows: columns } = await pool.query<Column>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = 'visits'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    const texts = columns.map(({ name }) => `"${name}"::text`).join(', ');
    const { rows } = await pool.query<(string | null)[]>({
      text: `SELECT ${texts} FROM visits ORDER BY occurred_at, event_id`,
      rowMode: 'array',
    });
    return new LedgerCopy(pool, columns, rows, rows.map(copyLine));
  }

  /** `INSERT … SELECT FROM unnest … ON CONFLICT DO NOTHING RETURNING`, one transaction a batch. @returns rows/s */
  insertIntoLedger(batchSize: number): Promise<number> {
    const names = this.columns.map(({ name }) => `"${name}"`);
    const values = names.map((name, index) => `${name}::${this.columns[index]?.type}`);
    // An array of arrays cannot be unnested by row: array columns travel as text.
    const arrays = this.columns.map(({ type }, index) => `$${index + 1}::${type.endsWith('[]') ? 'text' : type}[]`);
    const statement = `INSERT INTO visits (${names.join(', ')}) SELECT ${values.join(', ')}
      FROM unnest(${arrays.join(', ')}) AS row (${names.join(', ')}) ON CONFLICT DO NOTHING RETURNING event_id`;
    const batches = cut(this.rows, batchSize).map((batch) =>
      this.columns.map((_, column) => batch.map((row) => row[column] ?? null)),
    );
    return this.#time(batches, async (batch) => {
      await this.pool.query({ text: statement, values: batch, name: 'ledger-alone' });
    });
  }

  /** COPY into an unindexed, unpartitioned table of the same columns. @returns rows/s */
  async copyIntoBareTable(batchSize: number): Promise<number> {
    await this.pool.query('DROP TABLE IF EXISTS bench_bare_visits');
    await this.pool.query('CREATE TABLE bench_bare_visits (LIKE visits)');
    const batches = cut(this.lines, batchSize).map((lines) => Buffer.concat(lines));
    const perSecond = await this.#time(batches, async (batch) => {
      const client = await this.pool.connect();
      try {
        await pipeline(Readable.from([batch]), client.query(copyStreams.from('COPY bench_bare_visits FROM STDIN')));
      } finally {
        client.release();
      }
    });
    await this.pool.query('DROP TABLE bench_bare_visits');
    return perSecond;
  }

  async #time<Batch>(batches: Batch[], write: (batch: Batch) => Promise<void>): Promise<number> {
    const queue = [...batches];
    const startedMs = performance.now();
    const writer = async () => {
      for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) await write(batch);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, writer));
    return this.rows.length / ((performance.now() - startedMs) / 1_000);
  }
}

function cut<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyLine(row: (string | null)[]): Buffer {
  const cells = row.map((value) => value?.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? '') ?? '\\N');
  return Buffer.from(`${cells.join('\t')}\n`);
}
