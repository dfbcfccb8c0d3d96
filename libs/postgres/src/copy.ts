import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { PoolClient } from 'pg';
import { type CopyStreamQuery, type CopyToStreamQuery, from as copyIn, to as copyOut } from 'pg-copy-streams';
import type { QueryRunner } from 'typeorm';

type CopyClient = PoolClient & { connection: { stream: Writable } };

/** Rows of `source` into a table. @returns how many */
export async function copyFrom(runner: QueryRunner, statement: string, source: Readable, signal?: AbortSignal) {
  signal?.throwIfAborted();
  return copy(runner, copyIn(statement), (rows) => pipeline(source, rows, { signal }), signal);
}

/** Rows of a question into `sink`. @returns how many */
export async function copyTo(
  runner: QueryRunner,
  statement: string,
  sink: Writable,
  signal?: AbortSignal,
): Promise<number> {
  if (signal?.aborted === true) sink.destroy();
  signal?.throwIfAborted();
  return copy(runner, copyOut(statement), (rows) => pipeline(rows, sink, { signal }), signal);
}

async function copy<Rows extends CopyStreamQuery | CopyToStreamQuery>(
  runner: QueryRunner,
  query: Rows,
  stream: (rows: Rows) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const client = (await runner.connect()) as CopyClient;
  const rows = client.query(query);
  try {
    await stream(rows);
    return rows.rowCount;
  } catch (error) {
    // What the server still sends would stand before every later answer, and what it waits for never comes: the
    // connection ends, and the pool opens a new one.
    client.connection.stream.destroy();
    // Told to stop, PostgreSQL may have answered with an error of its own (57014) by now.
    signal?.throwIfAborted();
    throw error;
  }
}
