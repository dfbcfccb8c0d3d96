import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const TIMEOUT_MS = 180_000;
const ROUNDS = 2;
const VISITORS_AT_A_TIME = 128;
/** With what an answer takes: about 2,000 visits/s on two cores that do nothing else. */
const PAUSE_MS = 20;
const BETWEEN_RESTARTS_MS = 1_500;

describe('a rolling restart of two gateways that share a port', () => {
  let stack: RunningStack;
  let ledger: Ledger;
  let links: ShortUrl[];
  let load: VisitorLoad;
  /** Connected and never asks for anything, as browsers do to be quick later. */
  let silent: Socket[];

  beforeAll(async () => {
    stack = await startStack({ env: { GATEWAYS: '2', TRUSTED_PROXIES: '127.0.0.1/32' } });
    const api = new LinksApi(stack.file);
    ledger = await Ledger.open(stack.file.databaseUrl);
    links = [];
    for (let index = 0; index < 10; index += 1) {
      links.push(await api.create({ longUrl: `https://example.com/page/${index}` }));
    }
    const { gatewayUrl } = stack.file;
    load = new VisitorLoad({ gatewayUrl, links, concurrency: VISITORS_AT_A_TIME, seed: 12 });
    silent = Array.from({ length: 4 }, () =>
      connect(Number(new URL(gatewayUrl).port), '127.0.0.1').on('error', () => undefined),
    );
  }, TIMEOUT_MS);

  afterAll(async () => {
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
