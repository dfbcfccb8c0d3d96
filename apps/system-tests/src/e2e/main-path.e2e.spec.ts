import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { DIMENSIONS, isEventId, type ShortUrl, UNKNOWN } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runCli } from '../harness/cli.js';
import { createDemoLinks } from '../demo/links.js';
import { expectEverythingCounted } from '../harness/counting.spec-helpers.js';
import { call } from '../harness/http.js';
import { Ledger } from '../harness/ledger.js';
import { LinksApi } from '../harness/links.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';
import { everyNumber } from './every-number.spec-helpers.js';

const START_MS = 180_000;
const FRESH_WITHIN_MS = 5_000;
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

describe('a visit, counted', () => {
  let stack: RunningStack;
  let api: LinksApi;
  let ledger: Ledger;

  beforeAll(async () => {
    stack = await startStack({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
    api = new LinksApi(stack.file);
    ledger = await Ledger.open(stack.file.databaseUrl);
  }, START_MS);

  afterAll(async () => {
    await ledger?.close();
    await stack?.stop();
  }, START_MS);

  const visit = (link: ShortUrl, options: { method?: string; headers?: Record<string, string>; query?: string } = {}) =>
    call(`${stack.file.gatewayUrl}/${link.shortCode}${options.query ?? ''}`, {
      method: options.method,
      headers: { host: new URL(link.shortUrl).host, ...options.headers },
    });

  const countedIds = async (link: ShortUrl) => (await ledger.visits([link.id])).map((row) => row.eventId).sort();

  it('redirects once the visit is durable, and shows it within 5 s', async () => {
    const link = await api.create({ longUrl: 'https://example.com/target?x=1' });
    const answer = await visit(link, { headers: BROWSER });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('https://example.com/target?x=1');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; ?HttpOnly/i);
    const id = answer.headers['x-visit-id'] as string;
    expect(isEventId(id)).toBe(true);

    await waitUntil(async () => (await api.statistics(link.shortCode)).totals.visits === 1, {
      timeoutMs: FRESH_WITHIN_MS,
      describe: 'the visit is counted',
    });
    const statistics = await api.statistics(link.shortCode);
    expect(statistics.totals).toMatchObject({ visits: 1, visitors: 1, ips: 1 });
    // A slow first acknowledgement sends a visit through the spool, too: its second record may still be on its way.
    await waitUntil(async () => (await api.statistics(link.shortCode)).pending === 0, {
      describe: 'nothing is pending',
    });
    expect(await countedIds(link)).toEqual([id]);
  });

  it('D5: answers HEAD and unknown codes without counting them', async () => {
    const link = await api.create({ longUrl: 'https://example.com/head' });
    const head = await visit(link, { method: 'HEAD', headers: BROWSER });
    expect(head.status).toBe(302);
    expect(head.headers['x-visit-id']).toBeUndefined();
    const unknown = await visit({ ...link, shortCode: 'no-such-code' }, { headers: BROWSER });
    expect(unknown.status).toBe(404);
    expect(unknown.headers['x-visit-id']).toBeUndefined();
    const counted = (await visit(link, { headers: BROWSER })).headers['x-visit-id'];
    await waitUntil(async () => (await countedIds(link)).length > 0, {
      timeoutMs: FRESH_WITHIN_MS,
      describe: 'the visit is counted',
    });
    expect(await countedIds(link)).toEqual([counted]);
  });

  it('S19, S20, L6, L7: counts whatever a client sends', async () => {
    const link = await api.create({ longUrl: 'https://example.com/odd' });
    const odd: Record<string, string>[] = [
      {},
      { 'user-agent': 'M'.repeat(64 * 1024) },
      { ...BROWSER, 'x-forwarded-for': `${'203.0.113.7, '.repeat(80)}not-an-address` },
      { ...BROWSER, 'x-forwarded-for': '"><script>' },
      { ...BROWSER, cookie: `hc_visitor=${'z'.repeat(300)}` },
      { ...BROWSER, referer: 'not a url at all', 'accept-language': ';;;q=9' },
      // S19, S20
      { 'user-agent': `"><script>alert(1)</script>'); DROP TABLE visits; --`, 'accept-language': `de' OR 1=1; --` },
      { ...BROWSER, referer: `https://x.test/?q='||pg_sleep(9)||'`, cookie: `hc_visitor=' OR ''='` },
      { ...BROWSER, referer: 'javascript:alert(1)' },
      { 'user-agent': 'emoji \u00f0\u009f\u0098\u0080 and \u00ff' },
    ];
    const answers = await Promise.all(odd.map((headers) => visit(link, { headers })));
    expect(answers.map((answer) => answer.status)).toEqual(odd.map(() => 302));
    const nul = await visit(link, { headers: BROWSER, query: '?utm_source=%00&utm_campaign=%ff%fe' });
    expect(nul.status).toBe(302);
    const ids = [...answers, nul].map((answer) => answer.headers['x-visit-id'] as string);
    await waitUntil(async () => (await countedIds(link)).length >= ids.length, {
      timeoutMs: FRESH_WITHIN_MS,
      describe: 'the visit is counted',
    });
    expect(await countedIds(link)).toEqual([...ids].sort());
  });

  it('L9: counts 2,000 real-looking visits, each id once, and every dimension sums to them', async () => {
    const links = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => api.create({ longUrl: `https://example.com/${name}`, title: name })),
    );
    const load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, visitors: 300, seed: 11 });
    await load.run(2_000);
    load.close();
    expect(load.acknowledged.size).toBe(2_000);
    expect(load.inDoubt.size).toBe(0);
    expect([...load.refused]).toEqual([]);
    await expectEverythingCounted(stack, { ledger, links, load });

    const statistics = await Promise.all(links.map((link) => api.statistics(link.shortCode)));
    for (const one of statistics) {
      for (const dimension of DIMENSIONS) {
        const sum = one.dimensions[dimension].reduce((total, { visits }) => total + visits, 0);
        expect([dimension, sum]).toEqual([dimension, one.totals.visits]);
      }
      const series = one.series.reduce((total, point) => total + point.visits, 0);
      expect(series).toBe(one.totals.visits);
    }
    const total = statistics.reduce((sum, one) => sum + one.totals.visits, 0);
    expect(total).toBe(2_000);
    const countries = new Set(statistics.flatMap((one) => one.dimensions.country.map(({ value }) => value)));
    countries.delete(UNKNOWN);
    expect(countries.size).toBeGreaterThan(15);
    expect(statistics.reduce((sum, one) => sum + one.totals.byClass.bot, 0)).toBeGreaterThan(50);
    const visitors = statistics[0]?.totals.visitors ?? 0;
    expect(visitors).toBeGreaterThan(20);
    expect(visitors).toBeLessThan(statistics[0]?.totals.visits ?? 0);
  });

  it('has the visitors of a burst wait for a gateway that is busy, not try again', async () => {
    const { hostname, port } = new URL(stack.file.gatewayUrl);
    const [gateway] = (await stack.read()).processes.gateway;
    const sockets: Socket[] = [];
    process.kill(gateway!, 'SIGSTOP');
    try {
      // More than Node has wait (511), fewer than Linux does (net.core.somaxconn).
      for (let nth = 0; nth < 1_500; nth += 1) sockets.push(connect(Number(port), hostname));
      await waitUntil(() => sockets.every(({ connecting }) => !connecting), { describe: 'all of them are connected' });
      expect(sockets.filter(({ bytesRead }) => bytesRead > 0)).toEqual([]);
    } finally {
      process.kill(gateway!, 'SIGCONT');
    }
    const answered = sockets.map(async (socket) => {
      socket.write('GET /burst HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return (await text(socket)).slice(0, 12);
    });
    expect(new Set(await Promise.all(answered))).toEqual(new Set(['HTTP/1.1 404']));
  });

  it('has a verify that sees a number that was changed', async () => {
    const link = await api.create({ longUrl: 'https://example.com/drift' });
    await visit(link, { headers: BROWSER });
    await waitUntil(async () => (await countedIds(link)).length === 1, {
      timeoutMs: FRESH_WITHIN_MS,
      describe: 'the visit is counted',
    });
    // The ordered totals are taken from the slots a moment later: they must not see the wrong one.
    expect((await runCli(stack.file, 'verify', '--wait')).code).toBe(0);
    const tamper = async (delta: number) =>
      ledger.tamper(`UPDATE link_visit_slots SET visits = visits + ${delta} WHERE link_id = ${link.id}`);
    await tamper(1);
    const drifted = await runCli(stack.file, 'verify', '--link', link.shortCode, '-o', 'json');
    expect(drifted.code).toBe(3);
    expect((JSON.parse(drifted.stdout) as { differences: { check: string }[] }).differences[0]?.check).toBe('slots');
    await tamper(-1);
    expect((await runCli(stack.file, 'verify', '--link', link.shortCode)).code).toBe(0);
  });

  it("tells the demo's visits in every way as one number, before and after labels anew, a purge and an erasure", async () => {
    const links = await createDemoLinks(api);
    const load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, visitors: 90, seed: 12 });
    await load.run(600);
    load.close();
    await expectEverythingCounted(stack, { ledger, links, load });
    const expectAll = async (visits: number) => {
      const agree = async () => {
        const all = await everyNumber(stack, 'demo', links);
        expect(Object.entries(all).filter(([, number]) => number !== visits)).toEqual([]);
        return true;
      };
      await waitUntil(agree, { timeoutMs: 20_000, everyMs: 250, describe: `${visits} visits everywhere` });
      expect((await runCli(stack.file, 'verify', '--wait')).code).toBe(0);
    };
    const counted = async () => (await ledger.visits(links.map(({ id }) => id))).length;
    await expectAll(600);

    const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString();
    const relabelled = await runCli(stack.file, 'relabel', '--from', day(-1), '--to', day(1), '--execute');
    expect([relabelled.code, relabelled.stderr]).toEqual([0, expect.anything()]);
    await expectAll(600);

    const purged = await api.purge(links[0]!.shortCode);
    expect(purged).toBeGreaterThan(0);
    await expectAll(600 - purged);

    const visitor = await ledger.mostFrequentVisitor(links.map(({ id }) => id));
    const erased = await runCli(stack.file, 'visits', 'erase', '--visitor', visitor, '--execute');
    expect([erased.code, erased.stderr]).toEqual([0, expect.anything()]);
    const left = await counted();
    expect(left).toBeLessThan(600 - purged);
    await expectAll(left);
  });
});
