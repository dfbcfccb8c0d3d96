import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  assertSameIds,
  freePort,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
  waitUntil,
} from '@hopcount/testing';

import { ask, gatewayEnvironment, insertLink, startGateway, TEST_DOMAIN, visitsIn } from './gateway.spec-helpers.js';

const HEADERS = { host: TEST_DOMAIN };

/** A way to the real broker that can be opened later: what a stopped and restarted broker looks like. */
function forwarder(brokers: string[]) {
  const [host = '', port = ''] = (brokers[0] ?? '').split(':');
  let server: Server | undefined;
  return {
    open: (listenPort: number) =>
      new Promise<void>((resolve) => {
        server = createServer((socket) => {
          const upstream = connect(Number(port), host);
          socket.pipe(upstream).pipe(socket);
          socket.on('error', () => upstream.destroy());
          upstream.on('error', () => socket.destroy());
        }).listen(listenPort, '127.0.0.1', resolve);
      }),
    close: () => server?.close(),
  };
}

describe('visits while Kafka is away', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let topic: TestTopic;
  let audits: TestTopic;
  let deadPort: number;
  let environment: Record<string, string>;
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    [database, redis] = await Promise.all([testDatabase(), testRedis()]);
    await insertLink(database, { code: 'x' });
  });

  beforeEach(async () => {
    topic = await testTopic({ partitions: 3, label: 'durability' });
    audits = await testTopic({ label: 'audits' });
    deadPort = await freePort();
    const more = { KAFKA_BROKERS: `127.0.0.1:${deadPort}`, REDIS_URL: redis.url };
    environment = gatewayEnvironment({ database, topic, audits, more });
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await Promise.all([topic.delete(), audits.delete()]);
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  afterAll(async () => {
    await redis?.close();
    await database?.drop();
  });

  const visit = async (port: number, count: number): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(port, '/x', { headers: HEADERS })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 302));
    return answers.map(({ headers }) => String(headers['x-visit-id']));
  };
  const allArrive = async (ids: string[]) => {
    const read = async () => (await visitsIn(topic)).map(({ eventId }) => eventId);
    await waitUntil(async () => new Set(await read()).size >= ids.length, {
      timeoutMs: 20_000,
      describe: 'the visits in the topic',
    });
    assertSameIds([...new Set(await read())], ids);
  };

  it('L4: spools them, and drains when Kafka comes', async () => {
    const gateway = await startGateway(environment);
    closing.push(gateway.close);
    const ids = await visit(gateway.port, 50);
    expect((await gateway.ask('/readyz')).body).toContain('50 visits on disk');
    expect((await gateway.ask('/metrics')).body).toMatch(/^visits_accepted_total\{path="spool".*\} 50$/m);
    const way = forwarder(topic.brokers);
    closing.push(way.close);
    await way.open(deadPort);
    await allArrive(ids);
    await waitUntil(async () => (await gateway.ask('/metrics')).body.includes('spool_events{process="gateway"} 0'), {
      describe: 'an empty spool',
    });
    ids.push(...(await visit(gateway.port, 5)));
    await allArrive(ids);
    expect((await gateway.ask('/metrics')).body).toMatch(/^visits_accepted_total\{path="kafka".*\} 5$/m);
  });

  it('adopts and drains what a killed process left', async () => {
    const child = await startProcess({ ...environment, GATEWAY_PORT: String(await freePort()) });
    closing.push(() => child.process.kill('SIGKILL'));
    const ids = await visit(child.port, 30);
    child.process.kill('SIGKILL');
    await new Promise((resolve) => child.process.once('exit', resolve));
    expect(spoolFiles(environment['SPOOL_DIR']!).length).toBeGreaterThan(1); // its lock and a segment or more
    const next = await startGateway({ ...environment, KAFKA_BROKERS: topic.brokers.join(',') });
    closing.push(next.close);
    await allArrive(ids);
    await waitUntil(() => Promise.resolve(spoolFiles(environment['SPOOL_DIR']!).length === 1), {
      describe: 'nothing but the new lock',
    });
  });

  it('leaves the folder of a living process alone', async () => {
    const first = await startGateway(environment);
    closing.push(first.close);
    const ids = await visit(first.port, 3);
    const second = await startGateway({ ...environment, KAFKA_BROKERS: topic.brokers.join(',') });
    closing.push(second.close);
    expect(await visitsIn(topic)).toEqual([]);
    await first.close();
    expect(ids).toHaveLength(3);
  });

  it('answers 503 when the disk may not take more either, and 302 without an id when told to', async () => {
    const full = await startGateway({ ...environment, SPOOL_MAX_BYTES: '10' });
    closing.push(full.close);
    const refused = await full.ask('/x', { headers: HEADERS });
    expect([refused.status, refused.headers['retry-after'], refused.headers.location]).toEqual([503, '2', undefined]);
    const lenient = await startGateway({ ...environment, SPOOL_MAX_BYTES: '10', VISIT_DURABILITY_FAILURE: 'answer' });
    closing.push(lenient.close);
    const answered = await lenient.ask('/x', { headers: HEADERS });
    expect([answered.status, answered.headers['x-visit-id']]).toEqual([302, undefined]);
    expect((await lenient.ask('/metrics')).body).toMatch(/^visits_uncounted_total\{reason="answered".*\} 1$/m);
  });

  it('answers what is under way on SIGTERM, exits 0 and loses nothing', async () => {
    const brokers = topic.brokers.join(',');
    const child = await startProcess({
      ...environment,
      KAFKA_BROKERS: brokers,
      GATEWAY_PORT: String(await freePort()),
    });
    closing.push(() => child.process.kill('SIGKILL'));
    const exit = new Promise((resolve) => child.process.once('exit', resolve));
    const asked = Array.from({ length: 20 }, () => ask(child.port, '/x', { headers: HEADERS }));
    await Promise.race(asked);
    child.process.kill('SIGTERM');
    const answers = await Promise.allSettled(asked);
    expect(await exit).toBe(0);
    const ids = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [String(answer.value.headers['x-visit-id'])] : [],
    );
    expect(ids.length).toBeGreaterThan(0);
    const counted = new Set((await visitsIn(topic)).map(({ eventId }) => eventId));
    expect(ids.filter((id) => !counted.has(id))).toEqual([]);
    expect(spoolFiles(environment['SPOOL_DIR']!)).toEqual([]);
  });
});

function spoolFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((folder) => readdirSync(join(root, folder)));
}

/** The built gateway as a process of its own: what can be killed. */
async function startProcess(environment: Record<string, string>): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(new URL('../dist/main.js', import.meta.url), { env: environment, execArgv: [] });
  const port = Number(environment['GATEWAY_PORT']);
  await waitUntil(
    () =>
      ask(port, '/livez').then(
        ({ status }) => status === 200,
        () => false,
      ),
    { timeoutMs: 60_000, describe: 'the gateway process' },
  );
  return { process: child, port };
}
