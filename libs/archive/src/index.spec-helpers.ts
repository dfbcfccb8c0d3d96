import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DuckDatabase } from './duckdb/duck-database.js';

export * from './file-states.spec-helpers.js';

/** Rows, types of columns, and metadata of a Parquet file, as DuckDB reads it: instants are texts. */
export async function readParquetFile(bytes: Buffer | ArrayBuffer) {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const path = join(folder, 'rows.parquet');
  writeFileSync(path, Buffer.from(bytes as ArrayBuffer));
  const duck = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'spill') });
  try {
    return await duck.session(async (session) => {
      const types = await session.rows<{ column_name: string; column_type: string }>(
        `DESCRIBE SELECT * FROM '${path}'`,
      );
      const selected = types.map(({ column_name: name, column_type: type }) => {
        if (type === 'BIGINT') return `"${name}"::DOUBLE AS "${name}"`;
        return type.startsWith('TIMESTAMP') ? `"${name}"::VARCHAR AS "${name}"` : `"${name}"`;
      });
      const [about] = await session.rows<{ value: string }>(
        `SELECT decode(value) AS value FROM parquet_kv_metadata('${path}') WHERE decode(key) = 'hopcount'`,
      );
      return {
        types: Object.fromEntries(types.map(({ column_name: name, column_type: type }) => [name, type])),
        rows: await session.rows<Record<string, unknown>>(`SELECT ${selected.join(', ')} FROM '${path}'`),
        about: JSON.parse(about?.value ?? 'null') as Record<string, unknown>,
      };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
