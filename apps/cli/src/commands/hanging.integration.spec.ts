import { once } from 'node:events';

import {
  FreezingProxy,
  serviceAddress,
  startSourceProcess,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn, type CliResult } from '../cli.spec-helpers.js';

/** Three times what is promised: CI's machine does other things, too. Without the watch it takes four times as long and more. */
const LAG_WITHIN_MS = 3 * 5_000;
const DOCTOR_WITHIN_MS = 3 * 10_000;

describe('a service that takes connections and answers nothing', () => {
  let server: TestDatabase;
  let visits: TestTopic;
  let hopcount: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;
  let kafka: FreezingProxy;
  let postgres: FreezingProxy;
  let redis: FreezingProxy;

  beforeAll(async () => {
    [server, visits] = await Promise.all([testDatabase(), testTopic({ partitions: 2, label: 'visits' })]);
    hopcount = cliOn(server, { VISITS_TOPIC: visits.name, CONSUMER_GROUP: `group-${visits.name}` });
    const [broker = ''] = serviceAddress('KAFKA_BROKERS').split(',');
    const targets = [`tcp://${broker}`, server.url, serviceAddress('REDIS_URL')].map((url) => new URL(url));
    [kafka, postgres, redis] = (await Promise.all(targets.map((target) => FreezingProxy.listen(target)))) as [
      FreezingProxy,
      FreezingProxy,
      FreezingProxy,
    ];
    for (const proxy of [kafka, postgres, redis]) proxy.freeze();
  });
  afterAll(async () => {
    await Promise.all([kafka, postgres, redis].map((proxy) => proxy.close()));
    await Promise.all([server.drop(), visits.delete()]);
  });

  const through = () => ({
    kafka: { KAFKA_BROKERS: `127.0.0.1:${kafka.port}` },
    postgres: { DATABASE_URL: postgres.through(new URL(server.url)) },
    redis: { REDIS_URL: redis.through(new URL(serviceAddress('REDIS_URL'))) },
  });
  const timed = async (argv: string[], environment: Record<string, string>) => {
    const startMs = performance.now();
    const result = await hopcount(argv, environment);
    return { ...result, ms: performance.now() - startMs };
  };
  const doctor = async (environment: Record<string, string>) => {
    const { stdout, ...result } = await timed(['doctor', '-o', 'json'], environment);
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string; advice: string }[];
    const line = (check: string) => lines.find((one) => one.check === check);
    return { ...result, line, failed: lines.filter(({ status }) => status === 'fail').map(({ check }) => check) };
  };

  it.each(['kafka', 'postgres'] as const)('%s: lag names it and what to do', async (name) => {
    const address = { kafka, postgres }[name].port;
    const { code, stderr, ms } = await timed(['lag'], through()[name]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`127.0.0.1:${address} .*hangs.*restart`))]);
    expect(ms).toBeLessThan(LAG_WITHIN_MS);
  });

  it('any of them, or all: doctor names which, and checks the others', async () => {
    const [named, others] = [
      (proxy: FreezingProxy) => ({ status: 'fail', found: expect.stringContaining(`127.0.0.1:${proxy.port} `) }),
      { status: 'ok' },
    ];
    const noKafka = await doctor(through().kafka);
    expect(noKafka).toMatchObject({ code: 1, failed: ['consumers', 'retention', 'dead letters', 'kafka'] });
    for (const check of noKafka.failed) expect(noKafka.line(check)).toMatchObject(named(kafka));
    for (const check of ['migrations', 'postgres', 'redis']) expect(noKafka.line(check)).toMatchObject(others);
    const noPostgres = await doctor(through().postgres);
    expect(noPostgres.line('postgres')).toMatchObject(named(postgres));
    for (const check of ['kafka', 'brokers', 'redis']) expect(noPostgres.line(check)).toMatchObject(others);
    const noRedis = await doctor(through().redis);
    const silent = { status: 'warn', found: expect.stringContaining(`127.0.0.1:${redis.port} `) };
    expect(noRedis.line('redis')).toMatchObject({ ...silent, advice: expect.stringContaining('restart') });
    const none = await doctor({ ...through().kafka, ...through().postgres, ...through().redis });
    expect([none.line('kafka'), none.line('postgres')]).toMatchObject([named(kafka), named(postgres)]);
    expect(none.line('redis')).toMatchObject(silent);
    for (const { ms } of [noKafka, noPostgres, noRedis, none]) expect(ms).toBeLessThan(DOCTOR_WITHIN_MS);
  });

  it('one of several brokers: the others are asked, and doctor names it', async () => {
    const some = { KAFKA_BROKERS: `127.0.0.1:${kafka.port},${serviceAddress('KAFKA_BROKERS')}` };
    const { code, stdout, ms } = await timed(['lag', '-o', 'json'], some);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ pending: 0 })]);
    expect(ms).toBeLessThan(LAG_WITHIN_MS);
    const seen = await doctor(some);
    expect(seen.line('kafka')).toMatchObject({ status: 'ok' });
    expect(seen.line('brokers')).toMatchObject({
      ...{ status: 'warn', found: `127.0.0.1:${kafka.port} gives no answer` },
      advice: expect.stringContaining('restart'),
    });
  });

  it('keeps no process of the CLI alive', async () => {
    const environment = { DATABASE_URL: server.url, ...through().kafka };
    const child = startSourceProcess(mainWith('lag'), { environment, stdio: 'ignore' });
    const startMs = performance.now();
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(performance.now() - startMs).toBeLessThan(LAG_WITHIN_MS);
  });
});

describe('lag --watch', () => {
  it('prints blocks until Ctrl-C, which ends it with 0, and goes on while a service is away', async () => {
    const [server, visits] = await Promise.all([testDatabase(), testTopic({ partitions: 2, label: 'visits' })]);
    const proxy = await FreezingProxy.listen(new URL(server.url));
    const child = startSourceProcess(mainWith('lag', '--watch', '0.1'), {
      environment: {
        DATABASE_URL: proxy.through(new URL(server.url)),
        ...{ VISITS_TOPIC: visits.name, CONSUMER_GROUP: `group-${visits.name}` },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout?.on('data', (bytes: Buffer) => (said.stdout += bytes.toString()));
    child.stderr?.on('data', (bytes: Buffer) => (said.stderr += bytes.toString()));
    const blocks = () => said.stdout.split('log end').length - 1;
    const seen = (what: () => boolean, describe: string) => waitUntil(what, { describe, timeoutMs: 30_000 });
    try {
      await seen(() => blocks() >= 2, 'two blocks');
      proxy.freeze();
      await seen(() => said.stderr.includes(`127.0.0.1:${proxy.port} gives no answer`), 'what hangs');
      const before = blocks();
      proxy.thaw();
      await seen(() => blocks() > before, 'another block');
      child.kill('SIGINT');
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(said.stderr).toMatch(/^\d{4}-\d{2}-\d{2}T.*Z\nEverything published is counted\.\n/);
    } finally {
      child.kill('SIGKILL');
      await proxy.close();
      await Promise.all([server.drop(), visits.delete()]);
    }
  });
});

/** The process as it is started with these arguments. */
function mainWith(...argv: string[]): string {
  return `process.argv = ['node', 'hopcount', ...${JSON.stringify(argv)}]; await import('./apps/cli/src/main.ts');`;
}
