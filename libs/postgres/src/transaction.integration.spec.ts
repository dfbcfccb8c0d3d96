import { once } from 'node:events';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSourceProcess, testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';

import { Database, type Transaction } from './database.js';

/** Fails like a deadlock (40P01) the first time. */
const FAIL = `DO $$ BEGIN RAISE EXCEPTION 'two transactions wait for each other' USING ERRCODE = '40P01'; END $$`;

/** Logs what PostgreSQL says of statements that fail, as it comes and as the cause of another error. */
const FAILING = `
  import { Readable } from 'node:stream';
  import { Database } from '@hopcount/postgres';
  import { createLogger } from '@hopcount/runtime';
  const database = await Database.connect({ url: process.env.DATABASE_URL, applicationName: 'failing' });
  const logger = createLogger({ name: 'failing', level: 'info' });
  const kept = 'INSERT INTO kept VALUES ($1, $2)';
  const works = [
    () => database.query(kept, ['marker-1', 7]),
    () => database.query(kept, ['marker-2', -7]),
    () => database.query('SELECT $1::integer', ['marker-3"quoted']),
    () => database.transaction((tx) => tx.copyFrom('COPY kept FROM STDIN', Readable.from(['marker-4\\tmarker-5\\n']))),
  ];
  for (const work of works) {
    const error = await work().catch((failure) => failure);
    logger.error({ err: error }, 'failed');
    logger.error({ err: new Error('why: ' + error.message, { cause: error }) }, 'failed');
  }
  await database.close();
`;

describe('a transaction that meets a conflict', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'transaction-spec', poolSize: 1 });
    await server.query('CREATE TABLE tried (attempt integer)');
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it('is isolated and read-only as asked for, and the next one on its connection is as usual', async () => {
    const modes = async (tx: Transaction) => [
      await tx.query('SHOW transaction_isolation'),
      await tx.query('SHOW transaction_read_only'),
    ];
    const are = (isolation: string, readOnly: string) => [
      [{ transaction_isolation: isolation }],
      [{ transaction_read_only: readOnly }],
    ];
    const strict = { isolation: 'REPEATABLE READ', readOnly: true } as const;
    expect(await database.transaction(modes, strict)).toEqual(are('repeatable read', 'on'));
    expect(await database.transaction(modes, { isolation: 'SERIALIZABLE' })).toEqual(are('serializable', 'off'));
    expect(await database.transaction(modes)).toEqual(are('read committed', 'off'));
  });

  function failing(times: number) {
    let attempts = 0;
    return async (tx: Transaction) => {
      attempts += 1;
      await tx.query('INSERT INTO tried VALUES ($1)', [attempts]);
      if (attempts <= times) await tx.query(FAIL);
      return attempts;
    };
  }

  it('is run again as often as its caller says, and only the last run is kept', async () => {
    expect(await database.transaction(failing(2), { conflictRetries: 2 })).toBe(3);
    expect(await server.query('SELECT attempt FROM tried')).toEqual([{ attempt: 3 }]);
    await expect(database.transaction(failing(3), { conflictRetries: 2 })).rejects.toThrow('wait for each other');
  });

  it('is run again after pauses, in which the other transaction comes to its end', async () => {
    let isOver = false;
    const work = async (tx: Transaction) => {
      if (!isOver) await tx.query(FAIL);
      // Of a pool with one connection: nobody holds it while waiting.
      return tx.query('SELECT 1 AS done');
    };
    setTimeout(() => void database.query('SELECT 1').then(() => (isOver = true)), 30);
    expect(await database.transaction(work, { conflictRetries: 4 })).toEqual([{ done: 1 }]);
  });

  it('is not run again unless its caller says so, nor after another error', async () => {
    await expect(database.transaction(failing(1))).rejects.toThrow('wait for each other');
    let runs = 0;
    const broken = (tx: Transaction) => tx.query(`SELECT ${(runs += 1)}::integer / 0`);
    await expect(database.transaction(broken, { conflictRetries: 2 })).rejects.toThrow('division by zero');
    expect(runs).toBe(1);
  });
});

describe('a session', () => {
  it('is replaced by another one after its lifetime', async () => {
    const server = await testDatabase({ schema: 'empty' });
    const options = { url: server.url, applicationName: 'session-spec', poolSize: 1, sessionLifeSeconds: 1 };
    const database = await Database.connect(options);
    const pid = async () => (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid;
    const first = await pid();
    await waitUntil(async () => (await pid()) !== first, { describe: 'another session', everyMs: 100 });
    await database.close();
    await server.drop();
  });
});

describe('a statement that fails', () => {
  it('is logged with what is wrong, and without the values it was given', async () => {
    const server = await testDatabase();
    await server.query('CREATE TABLE kept (name text PRIMARY KEY, number integer CHECK (number > 0))');
    await server.query(`INSERT INTO kept VALUES ('marker-1', 1)`);
    const child = startSourceProcess(FAILING, {
      environment: { DATABASE_URL: server.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let log = '';
    child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await once(child, 'close');
    await server.drop();
    const errors = log
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { err: Record<string, unknown> }).err);
    expect(log).not.toMatch(/marker|quoted/);
    const query = 'INSERT INTO kept VALUES ($1, $2)';
    expect(errors.filter((_, nth) => nth % 2 === 0)).toEqual([
      expect.objectContaining({
        query,
        code: '23505',
        table: 'kept',
        constraint: 'kept_pkey',
        routine: expect.any(String),
      }),
      expect.objectContaining({ query, code: '23514', constraint: 'kept_number_check' }),
      expect.objectContaining({ code: '22P02', message: 'invalid input syntax for type integer: "[redacted]"' }),
      expect.objectContaining({ code: '22P02', message: 'invalid input syntax for type integer: "[redacted]"' }),
    ]);
    expect(errors[4]).toMatchObject({ type: 'QueryFailedError', stack: expect.stringMatching(/redacted.*\n +at /s) });
    expect(errors[5]).toMatchObject({
      message: expect.stringMatching(/^why: invalid .*"\[redacted\]": invalid .*"\[redacted\]"$/),
    });
  });
});
