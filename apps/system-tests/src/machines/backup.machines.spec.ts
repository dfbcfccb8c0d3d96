import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { type BackedUpPostgres, startBackedUpPostgres } from '../harness/backed-up-postgres.js';
import { runCli } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const MORE_VISITS = 2_000;

describe('PostgreSQL backed up by pgBackRest', () => {
  let postgres: BackedUpPostgres;
  let stack: RunningStack;
  let ledger: Ledger;
  let load: VisitorLoad;
  let api: LinksApi;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    postgres = await startBackedUpPostgres();
    await postgres.runbook('stanza-create');
    stack = await startStack({ env: { DATABASE_URL: postgres.url } });
    api = new LinksApi(stack.file);
    for (let index = 0; index < 10; index += 1) {
      links.push(await api.create({ longUrl: `https://example.com/page/${index}` }));
    }
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 23 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
    await postgres?.stop();
  }, START_MS);

  const moreVisits = async (when: string) => {
    const wanted = load.acknowledged.size + MORE_VISITS;
    const isThere = () => load.acknowledged.size >= wanted;
    await waitUntil(isThere, { timeoutMs: 120_000, describe: `${MORE_VISITS} more visits ${when}` });
  };
  const query = async (sql: string) => {
    const pool = new Pool({ connectionString: postgres.url, max: 1 });
    try {
      return (await pool.query<Record<string, string>>(sql)).rows[0] ?? {};
    } finally {
      await pool.end();
    }
  };
  /** What is committed now is in the archive afterwards. */
  const archiveWal = async () => {
    const { file } = await query('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    const isArchived = async () =>
      ((await query('SELECT last_archived_wal AS file FROM pg_stat_archiver')).file ?? '') >= file!;
    await waitUntil(isArchived, { timeoutMs: 60_000, everyMs: 200, describe: `${file} to be archived` });
  };

  it('loses its data folder under load and is restored: no redirect fails, every visit is counted once', async () => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    let later: ShortUrl;
    try {
      await moreVisits('before the backup');
      await postgres.runbook('backup');
      later = await api.create({ longUrl: 'https://example.com/after-the-backup' });
      await archiveWal();
      await moreVisits('after it');
      await postgres.destroy();
      await moreVisits('without a database');
      await postgres.runbook('restore');
      await postgres.start();
      await moreVisits('with the restored one');
    } finally {
      halt.abort();
      await running;
    }
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
    ledger = await Ledger.open(postgres.url);
    await expectEverythingCounted(stack, { ledger, links, load });
    expect((await runCli(stack.file, 'verify')).code).toBe(0);
    const known = await query(`SELECT count(*)::text AS count FROM links WHERE code = '${later.shortCode}'`);
    expect(known.count).toBe('1');
  }, 400_000);
});
