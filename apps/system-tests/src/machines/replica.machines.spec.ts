import { answerOf } from '@hopcount/client';
import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import { call } from '../harness/http.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../harness/replicated-postgres.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const VISITS = 500;

describe('statistics read from a standby', () => {
  let postgres: ReplicatedPostgres;
  let standby: Pool;
  let stack: RunningStack;
  let ledger: Ledger;
  let api: LinksApi;
  let load: VisitorLoad;
  let link: ShortUrl;

  beforeAll(async () => {
    postgres = await startReplicatedPostgres();
    standby = new Pool({ connectionString: postgres.standbyUrl, max: 1 });
    standby.on('error', () => undefined);
    stack = await startStack({ env: { DATABASE_URL: postgres.url, DATABASE_READ_URL: postgres.standbyUrl } });
    ledger = await Ledger.open(postgres.url);
    api = new LinksApi(stack.file);
    link = await api.create({ longUrl: 'https://example.com/page' });
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links: [link], concurrency: 16, seed: 29 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await standby?.end();
    await stack?.stop();
    await postgres?.stop();
  }, START_MS);

  const answered = async () => {
    const { totals, pending } = await api.statistics(link.shortCode);
    return { visits: totals.visits, pending };
  };
  /** Of both servers, until they say the same. */
  const counted = async (visits: number) => {
    const isThere = async () => (await answered()).visits === visits && (await answered()).pending === 0;
    await waitUntil(isThere, { timeoutMs: 60_000, everyMs: 200, describe: `${visits} visits in the statistics` });
  };
  /** The api asks Kafka once a second. */
  const isPending = async (visits: number) => {
    const isSaid = async () => ((await answered()).pending ?? 0) >= visits;
    await waitUntil(isSaid, { timeoutMs: 20_000, everyMs: 200, describe: `${visits} visits said to be pending` });
    return (await answered()).visits;
  };
  const ofPrimary = async () => (await ledger.allVisits()).length;

  it('says of what the standby has not replayed that it is pending, and nothing is missing once it has', async () => {
    await load.run(VISITS);
    await counted(VISITS);
    await standby.query('SELECT pg_wal_replay_pause()');

    await load.run(VISITS);
    const isCounted = async () => (await ofPrimary()) === 2 * VISITS;
    await waitUntil(isCounted, { timeoutMs: 60_000, everyMs: 200, describe: 'the primary has all' });
    expect(await isPending(VISITS)).toBe(VISITS);

    await standby.query('SELECT pg_wal_replay_resume()');
    await expectEverythingCounted(stack, { ledger, links: [link], load });
    await counted(2 * VISITS);
  });

  it('shows a link and its change at once to whoever made it, while the standby stands still', async () => {
    await standby.query('SELECT pg_wal_replay_pause()');
    const made = await api.create({ longUrl: 'https://example.com/new' });
    expect((await api.statistics(made.shortCode)).totals.visits).toBe(0);
    await standby.query('SELECT pg_wal_replay_resume()');
  });

  it('reads from the primary while the standby is away, and from it again afterwards', async () => {
    await postgres.killStandby();
    await load.run(VISITS);
    await counted(3 * VISITS);
    await postgres.startStandby();
    await load.run(VISITS);
    await counted(4 * VISITS);

    const asked = async () => {
      await answered();
      const sql = `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE application_name = 'hopcount-api'`;
      return ((await standby.query<{ sessions: number }>(sql)).rows[0]?.sessions ?? 0) > 0;
    };
    await waitUntil(asked, { timeoutMs: 60_000, everyMs: 500, describe: 'the api asks the standby again' });
  });

  it('answers statistics from its start on while only the standby is there, and refuses changes until the primary is back', async () => {
    await postgres.killPrimary();
    await stack.kill('api');
    const isAnswered = async () => (await answered().catch(() => undefined))?.visits === 4 * VISITS;
    await waitUntil(isAnswered, { timeoutMs: 60_000, everyMs: 500, describe: 'the standby alone is asked' });
    await load.run(VISITS);
    expect(await isPending(VISITS)).toBe(4 * VISITS);
    const refused = await api.create({ longUrl: 'https://example.com/refused' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503 });
    expect((await call(`${stack.file.apiUrl}/rest/v3/health`)).status).toBe(200);

    await postgres.startPrimary();
    const isTaken = () => api.create({ longUrl: 'https://example.com/taken' }).catch(() => undefined);
    await waitUntil(isTaken, { timeoutMs: 60_000, everyMs: 500, describe: 'changes are taken again' });
    await counted(5 * VISITS);
  });

  it('reads from the primary once the standby has become a server of its own, and says so', async () => {
    await standby.query('SELECT pg_promote()');
    await load.run(VISITS);
    await counted(6 * VISITS);
    await expectEverythingCounted(stack, { ledger, links: [link], load });
    const { checks } = await answerOf(api.client.GET('/rest/v3/system/checks'));
    const check = checks.data.find(({ name }) => name === 'read standby');
    expect(check).toMatchObject({ status: 'warn', foundCode: 'standby-promoted' });
  });
});
