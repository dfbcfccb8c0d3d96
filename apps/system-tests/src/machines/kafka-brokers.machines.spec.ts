import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { readLag, runCli } from '../harness/cli.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { environmentOf } from '../harness/environment-of.js';
import { type KafkaCluster, startKafkaCluster } from '../harness/kafka-cluster.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { readMetric } from '../harness/metrics.js';
import { PoisonRecords } from '../harness/poison-records.js';
import { startBeside } from '../harness/process-beside.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 240_000;
const MORE_VISITS = 2_000;

describe('three Kafka brokers', () => {
  let kafka: KafkaCluster;
  let stack: RunningStack;
  let ledger: Ledger;
  let load: VisitorLoad;
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    kafka = await startKafkaCluster(3);
    stack = await startStack({ env: { KAFKA_BROKERS: kafka.brokers, CONSUMERS: '2' } });
    ledger = await Ledger.open(stack.file.databaseUrl);
    const api = new LinksApi(stack.file);
    links.push(...(await api.createPages(10)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 16, seed: 17 });
  }, START_MS);
  afterAll(async () => {
    load?.close();
    await ledger?.close();
    await stack?.stop();
    await kafka?.stop();
  }, START_MS);

  const saidOfCopies = async () => {
    const { stdout } = await runCli(stack.file, 'doctor', '-o', 'json');
    const lines = JSON.parse(stdout) as { check: string; status: string; found: string }[];
    const { status, found } = lines.find(({ check }) => check === 'copies of topics') ?? {};
    return `${status}: ${found}`;
  };
  const moreVisits = async (when: string) => {
    const wanted = load.acknowledged.size + MORE_VISITS;
    await waitUntil(() => load.acknowledged.size >= wanted, {
      ...{ timeoutMs: 120_000, describe: `${MORE_VISITS} more visits ${when}` },
    });
  };
  const ofGateways = (name: string, labels?: Record<string, string>) =>
    readMetric(stack.file.opsUrls.gateway, name, labels);
  const spooled = () => ofGateways('hopcount_spool_events');
  const untilOwn = async (when: string) => {
    const sent = () => ofGateways('hopcount_produce_requests_total', { path: 'socket' });
    const before = await sent();
    await waitUntil(async () => (await sent()) > before, {
      ...{ timeoutMs: 60_000, describe: `visits over the gateway's own connections ${when}` },
    });
  };
  const logOfGateway = () => readFileSync(join(stack.dataDir, 'logs/gateway.log'), 'utf8');

  afterEach(() => kafka.startMissing());

  it('each have a copy of every topic, two of which have what is acknowledged', async () => {
    expect(await saidOfCopies()).toBe('ok: 3 brokers');
    const { stdout } = await runCli(stack.file, 'topics', 'list', '-o', 'json');
    expect((JSON.parse(stdout) as { problems: unknown }[]).map(({ problems }) => problems)).toEqual(
      Array.from({ length: 5 }, () => null),
    );
  });

  it('serve a consumer from the copy in its rack, and when that broker dies from another: every visit is counted once', async () => {
    const said: string[] = [];
    const environment = environmentOf(stack.file.processes.consumer[0]!);
    const own = { KAFKA_RACK: 'rack-2', LOG_LEVEL: 'debug' };
    const consumer = await startBeside('consumer', { ...environment, ...own }, (text) => said.push(text));
    try {
      await consumer.ready();
      await load.run(MORE_VISITS);
      const copies = () => [...said.join('').matchAll(/Preferred read replica is now (\d+)/g)].map(([, node]) => node);
      await waitUntil(() => copies().length > 0, { timeoutMs: 60_000, describe: 'a partition is read from a copy' });
      expect([...new Set(copies())]).toEqual(['2']);
      await kafka.kill(1);
      await load.run(MORE_VISITS);
      await expectEverythingCounted(stack, { ledger, links, load });
      await kafka.start(1);
    } finally {
      await consumer.stop();
    }
  });

  it('are started again one after the other, in order: each record that nobody can count becomes a dead letter', async () => {
    const poison = new PoisonRecords(kafka.brokers);
    const halt = new AbortController();
    const running = poison.run(halt.signal);
    const more = async () => {
      const wanted = poison.acknowledged.size + 1_000;
      const isThere = () => poison.acknowledged.size >= wanted;
      await waitUntil(isThere, { timeoutMs: 120_000, describe: 'a thousand more records that nobody can count' });
    };
    try {
      for (const broker of [0, 1, 2, 0, 1, 2]) {
        await more();
        await kafka.restart(broker);
      }
    } finally {
      halt.abort();
      await running;
    }
    await waitUntil(async () => (await readLag(stack.file)).pending === 0, {
      ...{ timeoutMs: 120_000, everyMs: 500, describe: 'nothing is pending' },
    });
    const letters = await poison.letters();
    expect([...poison.acknowledged].filter((key) => !letters.has(key))).toEqual([]);
  });

  it('are restarted one after the other, in order: leaders move, and every visit is counted once', async () => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    try {
      for (const broker of [0, 1, 2]) {
        await untilOwn(`before broker ${broker + 1} is restarted`);
        await kafka.restart(broker);
      }
      await untilOwn('after all restarts');
    } finally {
      halt.abort();
      await running;
    }
    // NOT_LEADER_OR_FOLLOWER, read from the gateway's own connection.
    expect(logOfGateway()).toContain('Kafka answered error code 6 ');
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
    await expectEverythingCounted(stack, { ledger, links, load });
  });

  it('one of which hangs: lag and doctor name it in time, and lag answers once the others lead', async () => {
    const address = kafka.brokers.split(',')[0]!;
    const pid = kafka.pids()[0]!;
    const timed = async (command: string) => {
      const startMs = performance.now();
      const { code, stdout, stderr } = await runCli(stack.file, command);
      return { code, said: stdout + stderr, ms: performance.now() - startMs };
    };
    process.kill(pid, 'SIGSTOP');
    try {
      // Until it is noticed, the broker leads a third of the partitions.
      const [lag, doctor] = [await timed('lag'), await timed('doctor')];
      for (const { code, said } of [lag, doctor]) expect([code, said]).toEqual([1, expect.stringContaining(address)]);
      // Twice what is promised.
      expect([lag.ms < 10_000, doctor.ms < 20_000]).toEqual([true, true]);
      await waitUntil(async () => (await timed('lag')).code === 0, { timeoutMs: 60_000, describe: 'lag without it' });
      expect((await timed('doctor')).said).toContain(`${address} gives no answer`);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('are killed, one and then two at a time, and come back: no redirect fails, every visit is counted once', async () => {
    const halt = new AbortController();
    const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 20 });
    try {
      await moreVisits('with all brokers');
      await untilOwn('with all brokers');
      await kafka.kill(0);
      await moreVisits('with two');
      await untilOwn('with two');
      await kafka.start(0);
      await Promise.all([kafka.kill(1), kafka.kill(2)]);
      await waitUntil(async () => (await spooled()) > 0, { timeoutMs: 60_000, describe: 'visits wait on the disk' });
      await moreVisits('with one, which may not acknowledge alone');
      await Promise.all([kafka.start(1), kafka.start(2)]);
      await moreVisits('with all of them again');
      await untilOwn('with all of them again');
    } finally {
      halt.abort();
      await running;
    }
    expect([[...load.refused], load.inDoubt.size]).toEqual([[], 0]);
    await expectEverythingCounted(stack, { ledger, links, load });
  });
});
