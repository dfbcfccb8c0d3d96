import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  type Answer,
  auditsIn,
  GatewayGround,
  insertLink,
  metricOf,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

let ground: GatewayGround;

beforeAll(async () => {
  ground = await GatewayGround.open({ TRUSTED_PROXIES: '127.0.0.1' });
  await insertLink(ground.database, { code: 'plain' });
  await insertLink(ground.database, { code: 'warned', settings: { warn: true } });
});
afterAll(() => ground.close());

/** The light front leaves a connection that is to be closed to Node's http. */
const WAYS = { front: { connection: 'keep-alive' }, http: { connection: 'close' } };
type By = keyof typeof WAYS;

const ask = (gateway: TestGateway, by: By = 'front', path = '/plain', more: Record<string, string> = {}) =>
  gateway.ask(path, { headers: { host: TEST_DOMAIN, ...WAYS[by], ...more } });

function counted(answers: readonly Answer[]) {
  const of = (wanted: number) => answers.filter(({ status }) => status === wanted);
  return { redirects: of(302).length, refused: of(503) };
}

const shedOf = async (gateway: TestGateway) =>
  (await metricOf(gateway, 'hopcount_requests_shed_total{reason="delay"')) +
  (await metricOf(gateway, 'hopcount_requests_shed_total{reason="ceiling"'));

/** Turns of the event loop that are as long as those of a process with far too many requests. */
function keepBusy(turnMs: number): () => void {
  let isBusy = true;
  const turn = () => {
    const untilMs = performance.now() + turnMs;
    while (performance.now() < untilMs);
    if (isBusy) setImmediate(turn);
  };
  turn();
  return () => (isBusy = false);
}

/** All visits and orphan visits that this gateway has told of when it has ended: what Kafka has, and what it reports of them. */
async function leftBy(gateway: TestGateway, before: number) {
  await gateway.close();
  const audits = await auditsIn(ground.topics.audits);
  return {
    visits: (await visitsIn(ground.topics.visits)).length - before,
    orphans: (await ground.topics.orphans.readAll()).length,
    notDurable: audits.reduce((sum, { refused, answered, inDoubt }) => sum + refused + answered + inDoubt, 0),
  };
}

describe('a gateway that requests wait too long for', () => {
  it('refuses a part of them with 503, which are no visits, and admits all again afterwards', async () => {
    const gateway = await ground.start({ SHED_ABOVE_DELAY_MS: '15' });
    const before = (await visitsIn(ground.topics.visits)).length;
    const stop = keepBusy(40);
    const answers: Record<By, Answer[]> = { front: [], http: [] };
    const hasRefused = () => [answers.front, answers.http].every((of) => counted(of).refused.length > 2);
    const visitor = async (_: unknown, nth: number) => {
      const by = nth % 2 === 0 ? 'front' : 'http';
      while (!hasRefused() && answers[by].length < 1_000) answers[by].push(await ask(gateway, by));
    };
    await Promise.all(Array.from({ length: 20 }, visitor));
    expect(hasRefused()).toBe(true);
    for (const path of ['/livez', '/readyz', '/rest/health'])
      expect([path, (await ask(gateway, 'front', path)).status]).toEqual([path, 200]);
    stop();
    const isAdmitted = async () => {
      const more = await Promise.all(Array.from({ length: 20 }, () => ask(gateway)));
      answers.front.push(...more);
      return counted(more).redirects === 20;
    };
    await waitUntil(isAdmitted, { describe: 'all are admitted', timeoutMs: 60_000 });
    for (const { headers, body } of [...counted(answers.front).refused, ...counted(answers.http).refused]) {
      expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
      expect(headers['x-visit-id'] ?? headers['set-cookie']).toBeUndefined();
      expect(body).toContain('Try again');
    }
    const { redirects, refused } = counted([...answers.front, ...answers.http]);
    expect(redirects + refused.length).toBe(answers.front.length + answers.http.length);
    expect(await metricOf(gateway, 'hopcount_front_requests_total')).toBe(answers.front.length);
    expect(await shedOf(gateway)).toBe(refused.length);
    expect(await metricOf(gateway, 'hopcount_redirects_total{status="503"')).toBe(refused.length);
    expect(await metricOf(gateway, 'hopcount_visits_uncounted_total{reason="refused"')).toBe(0);
    expect(await leftBy(gateway, before)).toEqual({ visits: redirects, orphans: 0, notDurable: 0 });
  });

  it('refuses nothing unless it is told to', async () => {
    const gateway = await ground.start();
    const stop = keepBusy(40);
    const answers: Answer[] = [];
    for (let n = 0; n < 30; n += 1) answers.push(await ask(gateway, n % 2 === 0 ? 'front' : 'http'));
    stop();
    expect(counted(answers).redirects).toBe(30);
    expect(await shedOf(gateway)).toBe(0);
  });
});

describe('a gateway with a ceiling', () => {
  it('refuses what is above it with 503, whatever is asked for and however, and no health', async () => {
    const gateway = await ground.start({ MAX_REQUESTS_PER_SECOND: '2' });
    const before = (await visitsIn(ground.topics.visits)).length;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask(gateway, n % 2 === 0 ? 'front' : 'http', n < 30 ? '/plain' : '/none')),
    );
    const form = await gateway.ask('/warned', { method: 'POST', headers: { host: TEST_DOMAIN }, body: 'go=1' });
    const { redirects, refused } = counted(answers);
    expect(redirects).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThan(10);
    expect([form.status, form.headers['connection']]).toEqual([503, 'close']);
    for (const path of ['/livez', '/readyz', '/rest/health', '/robots.txt'])
      expect([path, (await ask(gateway, 'front', path)).status]).toEqual([path, 200]);
    expect(await shedOf(gateway)).toBe(refused.length + 1);
    await waitUntil(async () => (await ask(gateway)).status === 302, { describe: 'admitted again' });
    const notFound = answers.filter(({ status }) => status === 404).length;
    expect(await leftBy(gateway, before)).toEqual({ visits: redirects + 1, orphans: notFound, notDurable: 0 });
  });

  it('is not used up by a client whose own limit refuses it', async () => {
    const limits = { RATE_LIMIT_REDIRECTS: 'true', REDIRECT_LIMIT: '1:0.001' };
    const gateway = await ground.start({ MAX_REQUESTS_PER_SECOND: '2', ...limits });
    const from = (address: string) => ask(gateway, 'front', '/plain', { 'x-forwarded-for': address });
    const statuses = [];
    for (let n = 0; n < 30; n += 1) statuses.push((await from('198.51.100.1')).status);
    expect(statuses).toEqual([302, ...Array<number>(29).fill(429)]);
    expect((await from('198.51.100.2')).status).toBe(302);
  });
});
