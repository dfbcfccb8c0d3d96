import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type TestDatabase, testDatabase, type TestTopic, testTopic, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  type AppProcess,
  startConsumerProcess,
  startGatewayProcess,
  startWorkerProcess,
} from '../harness/app-process.js';
import { verifyLedger } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';
import { call, keepAliveAgent } from '../harness/http.js';

const TEST_MS = 120_000;
const HOST = 'limits.test';
const NOWHERE = '127.0.0.1:1';

/**
 * Built processes, a thousand visitors of a link that may have a hundred, and a gateway ended with kill -9 in the middle:
 * never one more, and in the end a hundred are counted.
 */
describe('a limit of a hundred visits', () => {
  let topic: TestTopic;
  let audits: TestTopic;
  let deadLetters: TestTopic;
  let database: TestDatabase;
  let folder: string;
  let failpoints: FailpointFolder;
  let lastLink = 800;
  const running: AppProcess[] = [];

  beforeAll(async () => {
    [topic, audits, deadLetters, database, folder] = await Promise.all([
      testTopic({ partitions: 3, label: 'visits' }),
      testTopic({ label: 'audits' }),
      testTopic({ label: 'letters' }),
      testDatabase(),
      mkdtemp(join(tmpdir(), 'hopcount-limits-')),
    ]);
    failpoints = new FailpointFolder(join(folder, 'failpoints'));
    await database.query('INSERT INTO domains (authority, is_default) VALUES ($1, true)', [HOST]);
    const environment = { ENDED_USE_SECONDS: '0', RECONCILE_INTERVAL_MS: '200', AUDIT_TOPIC: audits.name };
    const apps = await Promise.all([
      started(startConsumerProcess({ topic, database, deadLetters })),
      started(startWorkerProcess({ topic, database, environment })),
    ]);
    await Promise.all(apps.map((app) => app.ready()));
  }, TEST_MS);
  afterAll(async () => {
    await Promise.all(running.map((app) => app.stop()));
    await Promise.all([topic, audits, deadLetters].map((one) => one.delete()));
    await Promise.all([database.drop(), rm(folder, { recursive: true })]);
  });

  const started = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    return app;
  };
  const startGateway = async (more: Record<string, string> = {}) => {
    const environment = {
      ...{ DEFAULT_DOMAIN: HOST, AUDIT_TOPIC: audits!.name, HOPCOUNT_FAILPOINTS: failpoints.path, DRAIN_MS: '0' },
      ...more,
    };
    const spoolFolder = join(folder, 'spool');
    const gateway = await started(startGatewayProcess({ topic: topic!, database, spoolFolder, environment }));
    await gateway.ready();
    return gateway;
  };
  const newLink = async (): Promise<{ id: string; path: string }> => {
    const id = String((lastLink += 1));
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url, max_visits)
       SELECT $1::bigint, id, $1::text, 'https://example.com/', 100 FROM domains`,
      [id],
    );
    return { id, path: `/${id}` };
  };
  const answered = new Set<string>();
  /** Statuses, 0 where the connection was lost; redirects by their visit. */
  const rush = async (gateways: readonly AppProcess[], path: string, count: number) => {
    const agents = gateways.map(() => keepAliveAgent(40));
    const statuses: Record<number, number> = {};
    const one = async (place: number) => {
      const [gateway, agent] = [gateways[place % gateways.length]!, agents[place % gateways.length]!];
      const answer = await call(gateway.url + path, { agent, headers: { host: HOST } }).catch(() => undefined);
      const status = answer?.status ?? 0;
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 302) answered.add(String(answer?.headers['x-visit-id']));
    };
    await Promise.all(Array.from({ length: count }, (_, place) => one(place)));
    for (const agent of agents) agent.destroy();
    return statuses;
  };
  const stateOf = async (id: string) => {
    const [row] = await database.query<{ used: number; late: number; open: number; counted: number }>(
      `SELECT used::int, late::int, (SELECT count(*)::int FROM link_uses WHERE link_id = $1) AS open,
         (SELECT count(*)::int FROM visits WHERE link_id = $1) AS counted FROM link_limits WHERE link_id = $1`,
      [id],
    );
    return row!;
  };
  const untilSettled = (id: string) =>
    waitUntil(async () => (await stateOf(id)).open === 0, { timeoutMs: 40_000, everyMs: 100, describe: 'no open use' });
  /** What was taken in vain can be had again; then it is over, and every answered visit is counted. */
  const expectHundred = async ({ id, path }: { id: string; path: string }, gateway: AppProcess) => {
    await untilSettled(id);
    // More than once, should a visitor's patience end on a slow machine: what was taken for them is given back.
    for (let round = 0; round < 10 && (await stateOf(id)).used < 100; round += 1) {
      await rush([gateway], path, 200);
      await untilSettled(id);
    }
    expect(await stateOf(id)).toEqual({ used: 100, late: 0, open: 0, counted: 100 });
    expect(await rush([gateway], path, 5)).toEqual({ 404: 5 });
    const rows = await database.query<{ event_id: string }>('SELECT event_id FROM visits');
    const counted = new Set(rows.map((row) => row.event_id));
    expect([...answered].filter((eventId) => !counted.has(eventId))).toEqual([]);
    expect(await verifyLedger(database)).toBe('clean');
  };
  const killedAt = async (point: string, gateways: readonly AppProcess[]) => {
    await failpoints.waitUntilFired(point, 1, 30_000);
    const [pid] = failpoints.firedBy(point);
    const dead = gateways.find((gateway) => gateway.pid === pid);
    expect(await dead?.ended).toBe('SIGKILL');
    await Promise.all(gateways.filter((gateway) => gateway !== dead).map((gateway) => gateway.stop()));
  };

  it.each([
    ['gateway.after-take', 20],
    ['gateway.after-ack-before-answer', 2],
  ])(
    'holds when one of two gateways is killed at %s',
    async (point, hit) => {
      const link = await newLink();
      const gateways = await Promise.all([startGateway(), startGateway()]);
      failpoints.arm(point, 'kill', hit);
      await sleep(100); // they look every 50 ms
      const statuses = await rush(gateways, link.path, 1_000);
      await killedAt(point, gateways);
      expect(statuses[0]).toBeGreaterThan(0);
      expect(statuses[302] ?? 0).toBeLessThan(100);
      await expectHundred(link, await startGateway());
    },
    TEST_MS,
  );

  it(
    'holds when a gateway whose Kafka and disk refuse is killed before it gives uses back',
    async () => {
      const link = await newLink();
      const gateways = [await startGateway({ KAFKA_BROKERS: NOWHERE, SPOOL_MAX_BYTES: '10' })];
      failpoints.arm('gateway.before-return', 'kill', 1);
      await sleep(100);
      const statuses = await rush(gateways, link.path, 100);
      await killedAt('gateway.before-return', gateways);
      expect(statuses[302]).toBeUndefined();
      expect((await stateOf(link.id)).open).toBeGreaterThan(0);
      await expectHundred(link, await startGateway());
    },
    TEST_MS,
  );

  it(
    'holds when PostgreSQL ends every connection of the gateways in the middle',
    async () => {
      const link = await newLink();
      const gateways = await Promise.all([startGateway(), startGateway()]);
      const visitors = rush(gateways, link.path, 1_000);
      await waitUntil(async () => (await stateOf(link.id)).used > 10, { everyMs: 2, describe: 'the first uses' });
      await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'hopcount-gateway%' AND datname = current_database()`);
      expect((await visitors)[302] ?? 0).toBeLessThanOrEqual(100);
      await expectHundred(link, gateways[0]);
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    },
    TEST_MS,
  );
});
