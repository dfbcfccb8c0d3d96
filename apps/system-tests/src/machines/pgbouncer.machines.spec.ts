import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { runCli } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type PooledPostgres, startPooledPostgres } from '../harness/pooled-postgres.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const VISITS = 5_000;

describe('PostgreSQL behind pgbouncer in transaction mode', () => {
  let postgres: PooledPostgres;
  let direct: Pool;
  let stack: RunningStack;
  let ledger: Ledger;
  let api: LinksApi;
  let load: VisitorLoad;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    postgres = await startPooledPostgres();
    direct = new Pool({ connectionString: postgres.directUrl, max: 1 });
    stack = await startStack({ env: { DATABASE_URL: postgres.url, CONSUMERS: '2' } });
    ledger = await Ledger.open(postgres.directUrl);
    api = new LinksApi(stack.file);
    links.push(...(await api.createPages(10)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 19 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
    await direct?.end();
    await postgres?.stop();
  }, START_MS);

  const saidOfPostgres = async () => {
    const { stdout } = await runCli(stack.file, 'doctor', '-o', 'json');
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string }[];
    const { status, found } = lines.find(({ check }) => check === 'postgres') ?? {};
    return `${status}: ${found}`;
  };

  it('is migrated, sessions in UTC and bounded, and counts every visit once', async () => {
    await load.run(VISITS);
    await expectEverythingCounted(stack, { ledger, links, load });
    expect(await saidOfPostgres()).toMatch(/^ok: PostgreSQL/);
    const { totals } = await api.statistics(links[0]!.shortCode, { timeZone: 'Asia/Kolkata' });
    const visits = [...load.acknowledged.values()].filter((code) => code === links[0]!.shortCode).length;
    expect(totals.visits).toBe(visits);
  });

  it('notes who made a change, whatever session it came over', async () => {
    const { rows } = await direct.query<{ actors: string[] }>(
      `SELECT array_agg(DISTINCT actor ->> 'kind') AS actors FROM audit_log WHERE kind = 'link'`,
    );
    expect(rows[0]?.actors).toHaveLength(1);
    expect(rows[0]?.actors[0]).toBe('api-key');
  });

  it('is named by doctor when its sessions are not as they must be', async () => {
    await direct.query('ALTER ROLE hopcount IN DATABASE hopcount RESET ALL');
    const isSaid = async () => /^fail: .*without UTC/.test(await saidOfPostgres());
    await waitUntil(isSaid, { timeoutMs: 60_000, everyMs: 500, describe: 'doctor sees a session of after that' });
    await runCli(stack.file, 'migrate');
    const isWell = async () => (await saidOfPostgres()).startsWith('ok');
    await waitUntil(isWell, { timeoutMs: 60_000, everyMs: 500, describe: 'doctor is content again' });
  });
});
