import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { assertSameIds, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';

import {
  type AppProcess,
  startApiProcess,
  startConsumerProcess,
  startGatewayProcess,
  startWorkerProcess,
} from '../harness/app-process.js';
import { type CliResult, runCliWith } from '../harness/cli.js';
import { call } from '../harness/http.js';
import { readMetric } from '../harness/metrics.js';
import { type SecuredServices, startSecuredServices } from '../harness/secured-services.js';

const START_MS = 120_000;
const HOST = 'secured.test';
const TOPICS = { topic: { name: 'visits' }, deadLetters: { name: 'visits.dead-letter' } };
const WRONG = 'a-wrong-password';

/** Built processes on Kafka, PostgreSQL and Redis that want TLS and a password. */
describe('services that want TLS and a password', () => {
  let services: SecuredServices;
  let client: Pool;
  let folder: string;
  const running: AppProcess[] = [];
  let gateway: AppProcess;
  /** What processes wrote, for the search for secrets. */
  const written: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hopcount-spool-'));
    services = await startSecuredServices();
    const { DATABASE_URL: url = '' } = services.environment;
    client = new Pool({ connectionString: url.split('?')[0], ssl: { ca: services.authority }, max: 1 });
    client.on('error', () => undefined);
    const made = await Promise.all([hopcount(['migrate']), hopcount(['topics', 'create'])]);
    expect(made.map(({ code, stderr }) => (code === 0 ? 'done' : stderr))).toEqual(['done', 'done']);
    await client.query('INSERT INTO domains (authority, is_default) VALUES ($1, true)', [HOST]);
  }, START_MS);
  afterAll(async () => {
    await Promise.all(running.map((app) => app.stop()));
    await client?.end();
    await services?.stop();
    await rm(folder, { recursive: true, force: true });
  }, START_MS);

  const hopcount = async (args: string[], changed: Record<string, string> = {}): Promise<CliResult> => {
    const result = await runCliWith({ ...services.environment, ...changed }, ...args);
    written.push(result.stdout, result.stderr);
    return result;
  };
  const doctor = async (changed: Record<string, string> = {}) => {
    const { stdout } = await hopcount(['doctor', '-o', 'json'], changed);
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string; advice: string | null }[];
    const said = (check: string) => {
      const { status, found, advice } = lines.find((line) => line.check === check) ?? {};
      return `${status}: ${found} ${advice}`;
    };
    return { kafka: said('kafka'), postgres: said('postgres'), redis: said('redis') };
  };
  const start = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    return app;
  };
  const settings = (changed: Record<string, string> = {}): Record<string, string> => ({
    ...{ ...services.environment, DEFAULT_DOMAIN: HOST, LOG_LEVEL: 'debug', SPOOL_DIR: folder, DRAIN_MS: '0' },
    ...changed,
  });
  const sentOverOwn = () => readMetric([gateway.opsUrl], 'hopcount_produce_requests_total', { path: 'socket' });
  const database = () => ({ url: services.environment['DATABASE_URL'] ?? '' });
  const wrongPasswords = () => {
    const { DATABASE_URL: postgres = '', REDIS_URL: redis = '' } = services.environment;
    const [, ofPostgres = '', ofRedis = ''] = services.passwords;
    return {
      KAFKA_PASSWORD: WRONG,
      DATABASE_URL: postgres.replace(ofPostgres, WRONG),
      REDIS_URL: redis.replace(ofRedis, WRONG),
    };
  };

  it(
    'S32: carry a link from the api to the gateway, and its visit into the ledger and the totals, each connection encrypted',
    async () => {
      const parts = { ...TOPICS, database: database(), environment: settings() };
      const [opened, api, worker, key] = await Promise.all([
        start(startGatewayProcess({ ...parts, spoolFolder: folder })),
        start(startApiProcess(parts)),
        start(startWorkerProcess(parts)),
        hopcount(['api-keys', 'create', '--name', 'test', '--scope', 'admin', '-o', 'json']),
        start(startConsumerProcess({ ...parts, environment: settings({ KAFKA_SASL: 'plain' }) })),
      ]);
      gateway = opened;
      await Promise.all([gateway, api, worker].map((app) => app.ready()));
      const headers = { 'x-api-key': /hc_live_\w+/.exec(key.stdout)?.[0] ?? '', 'content-type': 'application/json' };
      const body = JSON.stringify({ longUrl: 'https://example.com/', customSlug: 'safe' });
      const created = await call(`${api.url}/rest/v3/short-urls`, { method: 'POST', headers, body });
      expect([created.status, created.body]).toEqual([200, expect.stringContaining('"safe"')]);
      const answer = await call(`${gateway.url}/safe`, { headers: { host: HOST } });
      expect([answer.status, answer.headers.location]).toEqual([302, 'https://example.com/']);
      const counted = async () => (await client.query<{ event_id: string }>('SELECT event_id FROM visits')).rows;
      await waitUntil(async () => (await counted()).length > 0, {
        timeoutMs: 30_000,
        describe: 'the visit is counted',
      });
      expect(await counted()).toEqual([{ event_id: answer.headers['x-visit-id'] }]);
      const isTotalled = async () => (await client.query('SELECT FROM link_totals WHERE visits = 1')).rowCount === 1;
      await waitUntil(isTotalled, { timeoutMs: 30_000, describe: 'the worker has added it to the totals' });
      const said = await call(`${api.url}/rest/v3/short-urls/safe/stats`, { headers });
      expect(JSON.parse(said.body)).toMatchObject({ totals: { visits: 1 }, pending: expect.any(Number) });
      const { rows } = await client.query<{ application: string; encrypted: boolean }>(
        `SELECT application_name AS application, bool_and(ssl) AS encrypted
       FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name LIKE 'hopcount%' GROUP BY 1 ORDER BY 1`,
      );
      expect(rows).toEqual([
        ...['api', 'consumer', 'gateway', 'worker'].map((app) => ({ application: `hopcount-${app}`, encrypted: true })),
      ]);
      const isOwn = async () => {
        await call(`${gateway.url}/safe`, { headers: { host: HOST } });
        return (await sentOverOwn()) > 0;
      };
      await waitUntil(isOwn, { timeoutMs: 30_000, describe: "a visit goes over the gateway's own connection" });
      for (const { opsUrl } of running) expect((await call(`${opsUrl}/readyz`)).body).not.toMatch(/warn|fail/);
    },
    START_MS,
  );

  it(
    'end the sessions of clients (connections.max.reauth.ms): the gateway connects again, and every visit is counted once',
    async () => {
      const ids: string[] = [];
      const visit = async () => {
        const { status, headers } = await call(`${gateway.url}/safe`, { headers: { host: HOST } });
        expect(status).toBe(302);
        ids.push(String(headers['x-visit-id']));
      };
      const isClosed = async () => {
        await visit();
        return /"the broker closed the connection".*is closed: kafkajs sends the records/.test(gateway.log());
      };
      await waitUntil(isClosed, { timeoutMs: 60_000, describe: 'the broker ends the session' });
      const before = await sentOverOwn();
      const isOwn = () => visit().then(async () => (await sentOverOwn()) > before);
      await waitUntil(isOwn, { timeoutMs: 30_000, describe: 'a new connection of its own' });
      const counted = async () => {
        const sql = 'SELECT event_id FROM visits WHERE event_id = ANY($1::uuid[])';
        return (await client.query<{ event_id: string }>(sql, [ids])).rows.map((row) => row.event_id);
      };
      const areCounted = async () => (await counted()).length >= ids.length;
      await waitUntil(areCounted, { timeoutMs: 30_000, describe: 'all visits are counted' });
      assertSameIds(ids, await counted());
    },
    START_MS,
  );

  it(
    'are named by doctor: all is well, whom it does not trust, who refuses a password',
    async () => {
      const [well, untrusted, refused] = await Promise.all([
        doctor({ KAFKA_SASL: 'scram-sha-512' }),
        doctor({ NODE_EXTRA_CA_CERTS: '' }),
        doctor(wrongPasswords()),
      ]);
      expect(well).toEqual({
        kafka: expect.stringMatching(/^ok: cluster/),
        postgres: expect.stringMatching(/^ok: PostgreSQL/),
        redis: expect.stringMatching(/^ok: answers/),
      });
      expect(untrusted).toEqual({
        kafka: expect.stringMatching(/^fail: .*(self-signed|first) certificate.*NODE_EXTRA_CA_CERTS/),
        postgres: expect.stringMatching(/^fail: .*(self-signed|first) certificate.*NODE_EXTRA_CA_CERTS/),
        redis: expect.stringMatching(/^warn: .*(self-signed|first) certificate.*NODE_EXTRA_CA_CERTS/),
      });
      expect(refused).toEqual({
        kafka: expect.stringMatching(/^fail: .*refuses the connection .*invalid credentials.*KAFKA_PASSWORD/),
        postgres: expect.stringMatching(/^fail: .*password authentication failed.*DATABASE_URL/),
        redis: expect.stringMatching(/^warn: .*WRONGPASS.*REDIS_URL/),
      });
    },
    START_MS,
  );

  it(
    'leave a gateway with wrong passwords running: it says why it is not ready, and no password',
    async () => {
      const environment = settings({ ...wrongPasswords(), LOG_LEVEL: 'info' });
      const gateway = await start(
        startGatewayProcess({
          ...{ topic: { name: 'visits' }, spoolFolder: folder, environment },
          database: { url: environment['DATABASE_URL'] ?? '' },
        }),
      );
      const reasons = ['invalid credentials', 'password authentication failed', 'WRONGPASS'];
      await waitUntil(() => reasons.every((reason) => gateway.log().includes(reason)), {
        ...{ timeoutMs: 30_000, describe: 'all three are in the log' },
      });
      const reasonsOf = async () => {
        const { status, body } = await call(`${gateway.opsUrl}/readyz`);
        return status === 503 && /Kafka is down \(.*invalid credentials/.test(body) && body.includes(reasons[1]!);
      };
      await waitUntil(reasonsOf, { timeoutMs: 30_000, describe: 'it says why it is not ready' });
      const everything = [...written, ...running.map((app) => app.log())].join('\n');
      expect(everything).toContain('visits go to Kafka');
      const passwords = [...services.passwords, WRONG];
      expect(passwords.filter((password) => everything.includes(password))).toEqual([]);
    },
    START_MS,
  );
});
