import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Database, type Transaction } from './database.js';
import { together } from './pipelined-transaction.js';

/** How often its only connection has written to its socket from now on. A proxy would not see it: writes arrive as one. */
async function countWrites(database: Database): Promise<() => number> {
  let writes = 0;
  const client = (await database.transaction(({ manager }) => manager.queryRunner?.connect() as Promise<unknown>)) as {
    connection: { stream: Record<'_write' | '_writev', (...given: unknown[]) => unknown> };
  };
  const { stream } = client.connection;
  for (const name of ['_write', '_writev'] as const) {
    const write = stream[name].bind(stream);
    stream[name] = (...given) => ((writes += 1), write(...given));
  }
  return () => writes;
}

describe('a transaction that reads', () => {
  let server: TestDatabase;
  let database: Database;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);

  const read = <T>(work: (tx: Transaction) => Promise<T>) =>
    database.transaction(work, { isolation: 'REPEATABLE READ', readOnly: true });

  beforeEach(async () => {
    process.on('unhandledRejection', onUnhandled);
    server = await testDatabase({ schema: 'empty' });
    await server.query('CREATE TABLE notes (note text)');
    database = await Database.connect({ url: server.url, applicationName: 'pipelined-spec', poolSize: 1 });
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  /** The only connection of the pool is as before. */
  const expectUsable = async () => {
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.transaction((tx) => tx.query(`INSERT INTO notes VALUES ('after')`));
    expect(await server.query(`SELECT FROM notes WHERE note = 'after'`)).toHaveLength(1);
  };

  it.each(['', '?pgbouncer=true'])('sends what is asked together in one write (%s)', async (parameters) => {
    const other = await Database.connect({ url: server.url + parameters, applicationName: 'one-write', poolSize: 1 });
    const ask = (tx: Transaction) =>
      together([
        tx.query(`SELECT set_config('work_mem', $1, true)`, ['7MB']),
        tx.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`),
        tx.query<{ memory: string }>(`SELECT current_setting('work_mem') AS memory`),
      ]);
    const options = { isolation: 'REPEATABLE READ', readOnly: true } as const;
    const writes = await countWrites(other);
    const [, mode, memory] = await other.transaction(ask, options);
    expect({ mode, memory }).toEqual({ mode: [{ mode: 'on' }], memory: [{ memory: '7MB' }] });
    // And the COMMIT.
    expect(writes()).toBe(2);
    await other.close();
  });

  it('takes its snapshot once it has the lock that was asked for first', async () => {
    const writer = await Database.connect({ url: server.url, applicationName: 'writer', poolSize: 1 });
    let answer: Promise<[unknown, unknown]> | undefined;
    await writer.transaction(async (tx) => {
      await tx.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
      answer = read((reading) =>
        together([
          reading.query('LOCK TABLE notes IN ACCESS SHARE MODE'),
          reading.query('SELECT count(*)::integer AS number FROM notes'),
        ]),
      );
      const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'pipelined-spec' AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await tx.query(waiting)).length > 0, { describe: 'the lock is waited for' });
      await tx.query(`INSERT INTO notes VALUES ('meanwhile')`);
    });
    expect(await answer).toEqual([[], [{ number: 1 }]]);
    await writer.close();
  });

  it('fails with what failed first, and only once everything else has ended', async () => {
    let hasEnded = false;
    const work = read((tx) => {
      const slow = async () => {
        await tx.query('SELECT 1');
        await new Promise((resolve) => setTimeout(resolve, 50));
        hasEnded = true;
      };
      return together([slow(), tx.query('SELECT 1 / 0'), tx.query('SELECT 2')]);
    });
    await expect(work).rejects.toMatchObject({ code: '22012' });
    expect(hasEnded).toBe(true);
    await expectUsable();
  });

  it('says why it failed, not only that it was aborted', async () => {
    const work = read(async (tx) => {
      tx.query('SELECT 1 / 0').catch(() => undefined); // as of a promise that is looked at later
      await tx.query('SELECT 2');
    });
    await expect(work).rejects.toMatchObject({ code: '22012' });
    const swallowed = read(async (tx) => {
      await tx.query('SELECT 1');
      throw new Error('of its own');
    });
    await expect(swallowed).rejects.toThrow('of its own');
    await expectUsable();
  });

  it('hands out nothing where it could not begin', async () => {
    const modes = { isolation: 'NONSENSE' as 'SERIALIZABLE', readOnly: true };
    await expect(database.transaction((tx) => tx.query('SELECT 1'), modes)).rejects.toMatchObject({ code: '42601' });
    await expectUsable();
  });

  it('copies when what was asked before has been answered, and what is asked meanwhile comes after', async () => {
    const sink = new PassThrough();
    const copied = text(sink);
    const answer = await read((tx) =>
      together([
        tx.query('SELECT 1 AS n'),
        tx.copyTo('COPY (SELECT generate_series(1, 3)) TO STDOUT', sink),
        tx.query('SELECT 2 AS n'),
        tx.copyTo('COPY (SELECT 4) TO STDOUT', new PassThrough().resume()),
      ]),
    );
    expect(answer).toEqual([[{ n: 1 }], 3, [{ n: 2 }], 1]);
    expect(await copied).toBe('1\n2\n3\n');
    await expectUsable();
  });

  it('asks nothing after its end, when the connection is of others', async () => {
    let kept: Transaction | undefined;
    await read((tx) => Promise.resolve((kept = tx)));
    await expect(kept?.query('SELECT 1')).rejects.toThrow(/released/);
    await expect(kept?.copyTo('COPY notes TO STDOUT', new PassThrough())).rejects.toThrow(/released/);
    await expectUsable();
  });
});
