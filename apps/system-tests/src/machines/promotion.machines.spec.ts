import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../harness/replicated-postgres.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { SwitchedWay } from '../harness/switched-way.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const VISITS = 1_000;
const WITHIN = { timeoutMs: 120_000, everyMs: 200 };

describe('an asynchronous standby that is promoted', () => {
  let postgres: ReplicatedPostgres;
  let way: SwitchedWay;
  let standby: Pool;
  let stack: RunningStack;
  let ledger: Ledger;
  let load: VisitorLoad;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    postgres = await startReplicatedPostgres();
    way = await SwitchedWay.open(new URL(postgres.url));
    standby = new Pool({ connectionString: postgres.standbyUrl, max: 1 });
    standby.on('error', () => undefined);
    stack = await startStack({ env: { DATABASE_URL: way.url, CONSUMERS: '2' } });
    ledger = await Ledger.open(way.url);
    const api = new LinksApi(stack.file);
    links.push(...(await api.createPages(10)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 31 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await standby?.end();
    await stack?.stop();
    await way?.close();
    await postgres?.stop();
  }, START_MS);

  const ofStandby = async () =>
    (await standby.query<{ visits: number }>('SELECT count(*)::int AS visits FROM visits')).rows[0]?.visits ?? 0;

  it('lacks commits that were acknowledged to consumers: the visits in them are counted again, each once', async () => {
    await load.run(VISITS);
    await waitUntil(async () => (await ofStandby()) === VISITS, { ...WITHIN, describe: 'the standby has the first' });
    await postgres.killStandby();
    await load.run(VISITS);
    const isCounted = async () => (await ledger.allVisits()).length === 2 * VISITS;
    await waitUntil(isCounted, { ...WITHIN, describe: 'the primary alone has the next' });

    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    await postgres.killPrimary();
    await postgres.startStandby();
    await standby.query('SELECT pg_promote()');
    expect(await ofStandby()).toBe(VISITS);
    way.switchTo(new URL(postgres.standbyUrl));
    const isBack = async () => (await ofStandby()) > 2 * VISITS;
    await waitUntil(isBack, { ...WITHIN, describe: 'it has what it lacked, and more' });
    halt.abort();
    await running;

    expect([...load.refused]).toEqual([]);
    expect(load.inDoubt.size).toBe(0);
    await expectEverythingCounted(stack, { ledger, links, load });
  }, 300_000);
});
