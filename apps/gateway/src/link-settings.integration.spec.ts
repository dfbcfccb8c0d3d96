import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FilterBuilder, randomCode } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { createRedis, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { type TestDatabase, waitUntil } from '@hopcount/testing';

import { GatewayGround, insertLink, TEST_DOMAIN, type TestGateway, visitsIn } from './gateway.spec-helpers.js';

const TARGET = 'https://example.com/target?own=1';
const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000);

/** Settings as PostgreSQL hands them over, down to the answer on the wire. */
describe('a gateway', () => {
  let ground: GatewayGround;
  let database: TestDatabase;
  let gateway: TestGateway;

  beforeAll(async () => {
    ground = await GatewayGround.open({ ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1' });
    ({ database } = ground);
    gateway = await ground.start();
  });

  afterAll(() => ground?.close());

  it.each([
    ['plain', {}, '?a=1&own=2', 302, `${TARGET}&a=1`],
    ['quiet', { forward_query: false }, '?a=1', 302, TARGET],
    ['young', { valid_since: hour(1) }, '', 404, undefined],
    ['valid', { valid_since: hour(-1), valid_until: hour(1) }, '', 302, TARGET],
    ['over', { valid_until: hour(-1) }, '', 404, undefined],
    ['moved', { valid_until: hour(-1), expired_url: 'https://example.com/over' }, '', 302, 'https://example.com/over'],
    ['off', { disabled: true }, '', 404, undefined],
    ['gone', { redirect_status: 308 }, '', 308, TARGET],
    ['docs', { extra_path: 'append' }, '/a/b', 302, 'https://example.com/target/a/b?own=1'],
    ['lone', {}, '/a/b', 404, undefined],
  ])('answers for %s, a link with %j', async (code, settings, rest, status, location) => {
    const linkId = await insertLink(database, { code, longUrl: TARGET, settings });
    const answer = await gateway.ask(`/${code}${rest}`, { headers: { host: TEST_DOMAIN } });
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
    const head = await gateway.ask(`/${code}${rest}`, { method: 'HEAD', headers: { host: TEST_DOMAIN } });
    expect([head.status, head.headers.location]).toEqual([status, location]);
    const visits = (await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId);
    expect(visits.map(({ eventId, destination }) => [eventId, destination])).toEqual(
      location === undefined ? [] : [[answer.headers['x-visit-id'], location]],
    );
  });

  it('sends visitors where rules say, and writes into the visit which one', async () => {
    const rule = (name: string, type: string, matchValue: string, matchKey: string | null = null) => ({
      longUrl: `https://example.com/${name}`,
      conditions: [{ type, matchKey, matchValue }],
    });
    const rules = [
      rule('query', 'query-param', 'x', 'to'),
      rule('office', 'ip-address', '2001:db8::/32'),
      rule('us', 'geolocation-country-code', 'US'),
      rule('ios', 'device', 'ios'),
      rule('de', 'language', 'de'),
    ];
    await insertLink(database, { code: 'ruled', longUrl: TARGET, settings: { redirect_rules: JSON.stringify(rules) } });
    const iphone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1';
    const asked: [string, Record<string, string>, string, string | undefined][] = [
      ['?to=x', { 'accept-language': 'de' }, 'https://example.com/query?to=x', 'rule:1'],
      ['', { 'x-forwarded-for': '2001:db8::7' }, 'https://example.com/office', 'rule:2'],
      ['', { 'x-forwarded-for': '8.8.8.8', 'accept-language': 'de' }, 'https://example.com/us', 'rule:3'],
      ['', { 'user-agent': iphone, dnt: '1' }, 'https://example.com/ios', 'rule:4'],
      ['', { 'accept-language': 'de-CH' }, 'https://example.com/de', 'rule:5'],
      ['', { 'x-forwarded-for': '10.0.0.7' }, TARGET, undefined],
    ];
    const ask = (query: string, headers: Record<string, string>) =>
      gateway.ask(`/ruled${query}`, { headers: { host: TEST_DOMAIN, ...headers } });
    // A gateway makes its first visitors wait 2.5 s for the geography files. On a loaded machine these take longer.
    await waitUntil(async () => (await ask('', { 'x-forwarded-for': '8.8.8.8' })).headers.location !== TARGET, {
      describe: 'the geography files',
    });
    const answers = await Promise.all(asked.map(([query, headers]) => ask(query, headers)));
    expect(answers.map(({ headers }) => headers.location)).toEqual(asked.map(([, , location]) => location));
    const visits = new Map((await visitsIn(ground.topics.visits)).map((visit) => [visit.eventId, visit.route]));
    expect(answers.map(({ headers }) => visits.get(String(headers['x-visit-id'])))).toEqual(
      asked.map(([, , , route]) => route),
    );
  });

  it('counts who loads the pixel of a link', async () => {
    const linkId = await insertLink(database, { code: 'seen' });
    const answer = await gateway.ask('/seen/track', { headers: { host: TEST_DOMAIN } });
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      ...[200, 'image/gif', 'no-store'],
    ]);
    expect(answer.body.startsWith('GIF89a')).toBe(true);
    expect(answer.headers['set-cookie']).toBeDefined();
    const head = await gateway.ask('/seen/track', { method: 'HEAD', headers: { host: TEST_DOMAIN } });
    expect([head.status, head.body, head.headers['x-visit-id']]).toEqual([200, '', undefined]);
    expect((await gateway.ask('/none/track', { headers: { host: TEST_DOMAIN } })).status).toBe(404);
    const visits = (await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId);
    expect(visits).toMatchObject([{ eventId: answer.headers['x-visit-id'], destination: '', route: 'pixel' }]);
  });

  it('splits visitors alike on every gateway, by cookie or without', async () => {
    const split = ['a', 'b', 'c', 'd'].map((name) => ({ longUrl: `https://example.com/${name}`, weight: 1 }));
    await insertLink(database, { code: 'split', settings: { split: JSON.stringify(split) } });
    const other = await ground.start();
    try {
      const targets = new Set<string>();
      for (let n = 0; n < 12; n += 1) {
        const headers = {
          host: TEST_DOMAIN,
          'x-forwarded-for': `8.8.4.${n}`,
          ...(n % 3 === 0 && { dnt: '1' }),
        } as Record<string, string>;
        const first = await gateway.ask('/split', { headers });
        const cookie = first.headers['set-cookie'];
        // With its cookie the visitor is the same from anywhere.
        const moved: Record<string, string> =
          cookie === undefined ? {} : { cookie: String(cookie).split(';')[0]!, 'x-forwarded-for': '9.9.9.9' };
        const again = await other.ask('/split', { headers: { ...headers, ...moved } });
        expect(again.headers.location).toBe(first.headers.location);
        targets.add(String(first.headers.location));
      }
      expect(targets.size).toBeGreaterThan(1);
    } finally {
      await other.close();
    }
  });

  it('counts visits of a link in any case of letters with LOOSE_CODES, and of the exact code only without', async () => {
    const linkId = await insertLink(database, { code: 'Summer', longUrl: TARGET });
    const ask = async (from: TestGateway, code: string) => {
      const { status, headers } = await from.ask(`/${code}`, { headers: { host: TEST_DOMAIN } });
      return [status, headers['x-visit-id']];
    };
    const loose = await ground.start({ LOOSE_CODES: 'true' });
    try {
      expect(await ask(gateway, 'SUMMER')).toEqual([404, undefined]);
      const [status, eventId] = await ask(loose, 'SUMMER');
      expect(status).toBe(302);
      const visits = (await visitsIn(ground.topics.visits)).filter((visit) => visit.linkId === linkId);
      expect(visits).toMatchObject([{ eventId, code: 'Summer' }]);
    } finally {
      await loose.close();
    }
  });

  it('answers for codes that are no links without PostgreSQL, once there is a filter, and for links as before', async () => {
    await insertLink(database, { code: 'real', longUrl: TARGET });
    const status = async (code: string) => (await gateway.ask(`/${code}`, { headers: { host: TEST_DOMAIN } })).status;
    const pool = await Database.connect({ url: database.url, applicationName: 'test' });
    const client = createRedis({
      url: ground.redis.url,
      name: 'test',
      logger: createLogger({ name: 't', level: 'silent' }),
    });
    await waitForRedis(client, 5_000);
    expect(await new FilterBuilder(pool, client).run()).toBe('built');
    const filtered = async () => {
      expect(await status(randomCode())).toBe(404);
      return /hopcount_link_lookups_total\{result="filtered".*\} [1-9]/.test(await gateway.operations('/metrics'));
    };
    await waitUntil(filtered, { everyMs: 1, describe: 'an answer of the filter' });
    expect(await status('real')).toBe(302);
    await insertLink(database, { code: 'unheard', longUrl: TARGET });
    await waitUntil(async () => (await status('unheard')) === 302, { timeoutMs: 2_000, describe: 'the new link' });
    client.disconnect();
    await pool.close();
  });

  it('names the crawlable links of the host in robots.txt', async () => {
    await insertLink(database, { code: 'found', settings: { crawlable: true } });
    await insertLink(database, {
      code: 'book',
      domain: 'book.test',
      settings: { crawlable: true, extra_path: 'ignore' },
    });
    await insertLink(database, {
      code: 'gone-book',
      domain: 'book.test',
      settings: { crawlable: true, deleted_at: hour(0) },
    });
    const unfit = [
      { disabled: true },
      { valid_since: hour(1) },
      { valid_until: hour(-1) },
      { password_hash: '$argon2id$of a password' },
    ];
    for (const [place, settings] of unfit.entries())
      await insertLink(database, {
        code: `unfit-${place}`,
        domain: 'book.test',
        settings: { crawlable: true, ...settings },
      });
    const ended = { crawlable: true, valid_until: hour(-1), expired_url: 'https://example.com/ended' };
    await insertLink(database, { code: 'ended', domain: 'book.test', settings: ended });
    const robots = async (host: string) => (await gateway.ask('/robots.txt', { headers: { host } })).body;
    expect(await robots(TEST_DOMAIN)).toBe('User-agent: *\nAllow: /found$\nAllow: /found?\nDisallow: /\n');
    expect(await robots('never-heard.test')).toBe(await robots(TEST_DOMAIN));
    const started = await ground.start();
    try {
      const { status, body } = await started.ask('/robots.txt', { headers: { host: 'BOOK.test' } });
      expect([status, body]).toEqual([
        200,
        'User-agent: *\nAllow: /ended$\nAllow: /ended?\nAllow: /book$\nAllow: /book?\nAllow: /book/\nDisallow: /\n',
      ]);
    } finally {
      await started.close();
    }
  });
});
