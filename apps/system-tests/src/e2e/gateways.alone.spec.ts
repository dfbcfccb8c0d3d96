import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { readMetric } from '../harness/metrics.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const TIMEOUT_MS = 180_000;
const ROUNDS = 2;
const VISITORS_AT_A_TIME = 128;
/** With what an answer takes: about 2,000 visits/s on two cores that do nothing else. */
const PAUSE_MS = 20;
const BETWEEN_RESTARTS_MS = 1_500;
const LOOPS_PER_CORE = 6;
const SPOOLED_SHARE = 0.05;
const BUSY_FOR_MS = 8_000;

describe('two gateways that share a port', () => {
  let stack: RunningStack;
  let ledger: Ledger;
  let links: ShortUrl[];
  let load: VisitorLoad;
  const loops: ChildProcess[] = [];
  /** Connected and never asks for anything, as browsers do to be quick later. */
  let silent: Socket[];

  beforeAll(async () => {
    stack = await startStack({ env: { GATEWAYS: '2', TRUSTED_PROXIES: '127.0.0.1/32' } });
    const api = new LinksApi(stack.file);
    ledger = await Ledger.open(stack.file.databaseUrl);
    links = [];
    links.push(...(await api.createPages(10)));
    const { gatewayUrl } = stack.file;
    load = new VisitorLoad({ gatewayUrl, links, concurrency: VISITORS_AT_A_TIME, seed: 12 });
    silent = Array.from({ length: 4 }, () =>
      connect(Number(new URL(gatewayUrl).port), '127.0.0.1').on('error', () => undefined),
    );
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const loop of loops) loop.kill('SIGKILL');
    for (const socket of silent ?? []) socket.destroy();
    load?.close();
    await ledger?.close();
    await stack?.stop();
  }, TIMEOUT_MS);

  const pids = async () => (await stack.read()).processes.gateway;
  const restart = async (pid: number) => {
    process.kill(pid, 'SIGTERM');
    const isReplaced = async () => {
      // One look: between two the old one may go, and one of two remains.
      const now = await pids();
      return now.length === 2 && !now.includes(pid);
    };
    await waitUntil(isReplaced, {
      timeoutMs: 60_000,
      everyMs: 100,
      describe: `another gateway instead of ${pid}`,
    });
  };

  it(
    'take a machine that others keep busy for busy, and not Kafka for down: next to no visit goes over the disk',
    async () => {
      const gateways = stack.file.opsUrls.gateway;
      const acknowledgements = async () => ({
        all: await readMetric(gateways, 'hopcount_produce_duration_seconds_count'),
        inTime: await readMetric(gateways, 'hopcount_produce_duration_seconds_bucket', { le: '0.05' }),
      });
      await load.run(500);
      const before = await acknowledgements();
      for (let loop = 0; loop < LOOPS_PER_CORE * availableParallelism(); loop += 1) {
        // A session of its own, as each process of the stack has: the kernel shares the processor out among sessions.
        loops.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore', detached: true }));
      }
      await load.run(Number.MAX_SAFE_INTEGER, { signal: AbortSignal.timeout(BUSY_FOR_MS), pauseMs: PAUSE_MS });
      const after = await acknowledgements();
      for (const loop of loops) loop.kill('SIGKILL');

      const late = after.all - before.all - (after.inTime - before.inTime);
      process.stderr.write(`busy machine: ${late} of ${after.all - before.all} acknowledgements later than 50 ms\n`);
      expect(late).toBeGreaterThan(0);
      // A broker that starves longer than its neighbours is late all the same, now and then; down, it would get nothing.
      const spooled = await readMetric(gateways, 'hopcount_visits_accepted_total', { path: 'spool' });
      expect(spooled).toBeLessThan(SPOOLED_SHARE * load.acknowledged.size);
      expect(await readMetric(gateways, 'hopcount_kafka_up')).toBe(2);
    },
    TIMEOUT_MS,
  );

  it(
    'F3: resets no connection, fails no request, loses and doubles nothing; each ends with 0',
    async () => {
      const halt = new AbortController();
      const startedMs = Date.now();
      const running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: PAUSE_MS });
      const ended: number[] = [];
      const meanwhile: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const pid of await pids()) {
          await sleep(BETWEEN_RESTARTS_MS);
          const before = load.acknowledged.size;
          await restart(pid);
          meanwhile.push(load.acknowledged.size - before);
          ended.push(pid);
        }
      }
      halt.abort();
      await running;
      const perSecond = load.acknowledged.size / ((Date.now() - startedMs) / 1_000);
      process.stderr.write(`rolling restart: ${ended.length} gateways at ${Math.round(perSecond)} visits/s\n`);

      expect([...load.refused]).toEqual([]);
      expect(load.inDoubt.size).toBe(0);
      expect(Math.min(...meanwhile)).toBeGreaterThan(0);
      const log = readFileSync(join(stack.dataDir, 'logs/supervisor.log'), 'utf8');
      for (const pid of ended) expect(log).toContain(`(pid ${pid}) died: exit code 0`);
      await expectEverythingCounted(stack, { ledger, links, load });
    },
    TIMEOUT_MS,
  );
});
