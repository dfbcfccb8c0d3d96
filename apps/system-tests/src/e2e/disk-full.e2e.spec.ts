import { execFileSync } from 'node:child_process';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type Answer, call } from '../harness/http.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { readMetric } from '../harness/metrics.js';
import { type RunningStack, startStack } from '../harness/stack.js';

const TIMEOUT_MS = 180_000;
const LOST = 7;

/**
 * Kafka is away and the gateway's disk takes nothing any more, its log neither: no file of the process
 * may grow, which fails its writes as a full disk does and can be undone.
 */
describe.each([
  { mode: 'refuse', status: 503, location: undefined, reason: 'refused', uncounted: 0 },
  { mode: 'answer', status: 302, location: 'https://example.com/full', reason: 'answered', uncounted: LOST },
])('F20: a full disk, VISIT_DURABILITY_FAILURE=$mode', ({ mode, status, location, reason, uncounted }) => {
  let stack: RunningStack;
  let api: LinksApi;
  let ledger: Ledger;
  let link: ShortUrl;

  beforeAll(async () => {
    stack = await startStack({ env: { VISIT_DURABILITY_FAILURE: mode, DRAIN_MS: '200' } });
    api = new LinksApi(stack.file);
    ledger = await Ledger.open(stack.file.databaseUrl);
    link = await api.create({ longUrl: 'https://example.com/full' });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await ledger?.close();
    await stack?.stop();
  }, TIMEOUT_MS);

  const visit = (): Promise<Answer> =>
    call(`${stack.file.gatewayUrl}/${link.shortCode}`, { headers: { host: new URL(link.shortUrl).host } });
  const gatewayPid = async () => (await stack.read()).processes.gateway[0];
  const limitFiles = (pid: number | undefined, limit: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${limit}:`]);

  it(
    'goes on, says so in a metric and in statistics, and counts what it acknowledged',
    async () => {
      const ids = [(await visit()).headers['x-visit-id']];
      const pid = await gatewayPid();
      await stack.hold('kafka');
      ids.push((await visit()).headers['x-visit-id']); // to the disk, which still takes it

      limitFiles(pid, '0');
      for (let index = 0; index < LOST; index += 1) {
        const answer = await visit();
        expect([answer.status, answer.headers.location]).toEqual([status, location]);
        expect(answer.headers['x-visit-id']).toBeUndefined();
      }
      expect(await readMetric(stack.file.opsUrls.gateway, 'hopcount_visits_uncounted_total', { reason })).toBe(LOST);
      expect(await gatewayPid()).toBe(pid);

      limitFiles(pid, 'unlimited');
      ids.push((await visit()).headers['x-visit-id']);
      await stack.resume('kafka');
      await stack.kill('gateway', 'SIGTERM'); // its last report tells of the minute that is not over
      await waitUntil(
        async () => {
          const { totals, ...statistics } = await api.statistics(link.shortCode);
          return totals.visits === ids.length && statistics.uncounted === uncounted && statistics.pending === 0;
        },
        { timeoutMs: 90_000, everyMs: 500, describe: `${ids.length} counted, ${uncounted} known not to be` },
      );
      const counted = await ledger.visits([link.id]);
      expect(counted.map(({ eventId }) => eventId).sort()).toEqual(ids.map(String).sort());
    },
    TIMEOUT_MS,
  );
});
