import { decodeOrphanVisit } from '@hopcount/contracts';
import { AbuseReports, BlockStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  type Answer,
  formOf,
  GatewayGround,
  insertLink,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const GOOD = 'https://good.example/';
const EVIL = 'https://www.evil.example/';
const ALWAYS = [{ longUrl: GOOD, conditions: [{ type: 'any-value-query-param', matchKey: 'good' }] }];

describe('a gateway sends nobody to what is blocked', () => {
  let ground: GatewayGround;
  let given: TestDatabase;
  let database: Database;
  let blocks: BlockStore;
  let gateway: TestGateway;

  beforeAll(async () => {
    ground = await GatewayGround.open({
      ...{ ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1', TARGET_SCHEMES: 'https,mailto' },
    });
    given = ground.database;
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    blocks = new BlockStore(database);
    await insertLink(given, { code: 'good', longUrl: GOOD });
    await insertLink(given, { code: 'evil', longUrl: EVIL });
    await insertLink(given, { code: 'both', longUrl: EVIL, settings: { redirect_rules: JSON.stringify(ALWAYS) } });
    await insertLink(given, { code: 'one', longUrl: EVIL, settings: { max_visits: 1 } });
    await insertLink(given, {
      ...{ code: 'over', longUrl: GOOD },
      settings: { valid_until: '2026-01-01T00:00:00Z', expired_url: EVIL },
    });
    await given.query(`INSERT INTO domains (authority, base_url_redirect) VALUES ('go.test', $1)`, [EVIL]);
    await insertLink(given, { code: 'mail', longUrl: 'mailto:a@b.test?subject=x' });
    gateway = await ground.start();
  });
  afterAll(async () => {
    await database?.close();
    await ground?.close();
  });

  const ask = async (path: string, host = TEST_DOMAIN, method = 'GET') => {
    const { status, headers } = await gateway.ask(path, { method, headers: { host } });
    return [status, headers['location']];
  };
  const untilAsked = (path: string, status: number) =>
    waitUntil(async () => (await ask(path, TEST_DOMAIN, 'HEAD'))[0] === status, {
      ...{ describe: `${path} answered ${status}`, timeoutMs: 20_000 },
    });

  it('S28: a host, wherever a link leads; a link; and again when the block is gone', async () => {
    expect(await ask('/evil')).toEqual([302, EVIL]);
    const block = await blocks.add('host', 'evil.example', 'phishing');
    await blocks.add('link', 'good', '');
    await untilAsked('/good', 410);

    for (const method of ['GET', 'HEAD']) {
      expect(await ask('/evil', TEST_DOMAIN, method)).toEqual([410, undefined]);
      expect(await ask('/over', TEST_DOMAIN, method)).toEqual([410, undefined]);
      expect(await ask('/both', TEST_DOMAIN, method)).toEqual([410, undefined]);
    }
    expect(await ask('/both?good=1')).toEqual([302, `${GOOD}?good=1`]);
    expect(await ask('/one')).toEqual([410, undefined]);
    expect(await ask('/', 'go.test')).toEqual([404, undefined]);
    const { body, headers } = await gateway.ask('/evil', { headers: { host: TEST_DOMAIN } });
    expect(body).toContain('blocked');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-security-policy': expect.any(String) });

    await blocks.remove(block.id);
    await untilAsked('/evil', 302);
    // Nobody was sent on meanwhile, so nothing was used up.
    expect(await ask('/one')).toEqual([302, EVIL]);
    expect(await ask('/one')).toEqual([404, undefined]);
    expect(await ask('/', 'go.test')).toEqual([302, EVIL]);
  });

  it('and records who wanted to go there as orphan visits of their own, not as visits', async () => {
    const recorded = async () =>
      (await ground.topics.orphans.readAll()).map(({ value }) => {
        const decoded = decodeOrphanVisit(value);
        return decoded.outcome === 'ok' ? `${decoded.visit.type} ${decoded.visit.path}` : '';
      });
    await waitUntil(async () => (await recorded()).includes('blocked /one'), { describe: 'blocked visits' });
    const blocked = (await recorded()).filter((one) => one.startsWith('blocked'));
    expect(blocked.sort()).toEqual([
      'blocked /both',
      'blocked /evil',
      'blocked /evil',
      'blocked /one',
      'blocked /over',
    ]);
    const [one, both] = [await visitsOf('one'), await visitsOf('both')];
    expect([one, both]).toEqual([[EVIL], [`${GOOD}?good=1`]]);
  });

  it('but shows a page first that names the host, where the rule says so', async () => {
    await blocks.add('link', 'both', '', 'warn');
    await blocks.add('host', 'evil.example', 'new', 'warn');
    await untilAsked('/evil', 200);
    const page = await get('/evil?a=b');
    expect([page.status, page.headers['location'], page.body]).toEqual([
      ...[200, undefined, expect.stringContaining('<p class="host">www.evil.example</p>')],
    ]);
    expect((await get('/both?good=1')).body).toContain('good.example');
    expect((await get('/over')).body).toContain('www.evil.example');
    expect(await ask('/', 'go.test')).toEqual([404, undefined]);
    const pressed = await press('/evil?a=b', formOf(page));
    expect([pressed.status, pressed.headers['location']]).toEqual([303, '/evil?a=b']);
    const visit = await get('/evil?a=b', cookieOf(pressed));
    expect([visit.status, visit.headers['location']]).toEqual([302, `${EVIL}?a=b`]);
  });

  it('shows a page before what is no page of the web', async () => {
    const page = await get('/mail');
    expect([page.status, page.headers['location']]).toEqual([200, undefined]);
    expect(page.body).toContain('<p class="host">mailto:a@b.test?subject=x</p>');
    const pressed = await press('/mail', formOf(page));
    expect((await get('/mail', cookieOf(pressed))).headers['location']).toBe('mailto:a@b.test?subject=x');
  });

  it('S5: ends a circle over another site with a page, for a browser that keeps cookies', async () => {
    await insertLink(given, { code: 'circle', longUrl: 'https://other.example/back' });
    const jar = new Map<string, string>();
    const visitor = () => ({ cookie: jar.get('hc_visitor')! });
    const statuses: number[] = [];
    let page = await get('/circle');
    while (page.status === 302 && statuses.length < 20) {
      statuses.push(page.status);
      keep(jar, page);
      // The other site sends it back.
      page = await get('/circle', cookiesIn(jar));
    }
    // Browsers give up after twenty.
    expect([page.status, statuses.length]).toEqual([200, 6]);
    expect(page.body).toMatch(/leads in a circle[^]*<p class="host">other\.example<\/p>/);
    // Pictures of the link are none of it.
    const picture = await get('/circle', { ...cookiesIn(jar), 'sec-fetch-dest': 'image' });
    expect(picture.status).toBe(302);
    // Whoever reads for more than ten seconds comes without `hc_hops`.
    const pressed = await press('/circle', formOf(page), visitor());
    expect([pressed.status, pressed.headers['location']]).toEqual([303, '/circle']);
    keep(jar, pressed);
    // One that a host beside ours has set stays.
    expect((await get('/circle', cookiesIn(jar))).headers['location']).toBe('https://other.example/back');
    const report = new URLSearchParams([...formOf(page), ['report', 'spam']]);
    expect((await press('/circle', report, visitor())).body).toContain('Thank you');
    await insertLink(given, {
      ...{ code: 'ended-circle', longUrl: GOOD },
      settings: { valid_until: '2026-01-01T00:00:00Z', expired_url: 'https://other.example/back' },
    });
    const ended = await get('/ended-circle', { cookie: 'hc_hops=5' });
    expect((await press('/ended-circle', formOf(ended))).status).toBe(303);
    // Not by a form of another link, or made up.
    const made = new URLSearchParams({ to: 'other.example', shown: 'x' });
    for (const form of [formOf(ended), made]) {
      expect((await press('/circle', form, { cookie: 'hc_hops=5' })).status).toBe(405);
    }
    // Nobody else is kept up by it.
    expect((await get('/circle')).status).toBe(302);
    expect((await get('/circle', { dnt: '1' })).headers['set-cookie']).toBeUndefined();
  });

  it('S28: takes reports of links that have a page, a few from each client, and says nothing of who sent them', async () => {
    await insertLink(given, { code: 'bad', longUrl: GOOD, settings: { warn: true } });
    const page = await get('/bad');
    expect(page.body).toContain('<option value="phishing">');
    const report = async (cause: string, address = '192.0.2.9', path = '/bad', more = {}) =>
      (await press(path, new URLSearchParams({ report: cause }), { 'x-forwarded-for': address, ...more })).status;
    expect([await report('phishing'), await report('phishing'), await report('spam', '192.0.2.10')]).toEqual([
      ...[200, 200, 200],
    ]);
    expect(await report('phishing', '192.0.2.11', '/bad', { 'sec-fetch-site': 'cross-site' })).toBe(415);
    const unseen = await report('phishing', '192.0.2.11', '/good', { cookie: 'hc_hops=5' });
    expect([await report('"><x'), unseen]).toEqual([415, 405]);
    const flood: number[] = [];
    for (let n = 0; n < 6; n += 1) flood.push(await report('malware', '192.0.2.12'));
    expect(flood).toEqual([200, 200, 200, 200, 200, 429]);
    const kept = () => new AbuseReports(database).list({ offset: 0, limit: 20_000 });
    const reports = (await kept()).reports.filter(({ shortUrl }) => shortUrl.endsWith('/bad'));
    expect(reports.map(({ shortUrl, longUrl, cause, reports: number }) => [shortUrl, longUrl, cause, number])).toEqual([
      [`${TEST_DOMAIN}/bad`, GOOD, 'malware', 5],
      [`${TEST_DOMAIN}/bad`, GOOD, 'spam', 1],
      [`${TEST_DOMAIN}/bad`, GOOD, 'phishing', 2],
    ]);
    // As many as anybody could look through: then those that were sent once make room, the oldest first.
    await given.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT n, (SELECT domain_id FROM links LIMIT 1), 'r' || n, '${GOOD}' FROM generate_series(1, 10000) AS n`,
    );
    await given.query(
      `INSERT INTO abuse_reports (link_id, cause, reports, last_at)
       SELECT n, 'spam', CASE n WHEN 7 THEN 1 ELSE 2 END, '2026-01-01' FROM generate_series(1, 10000 - $1::int) AS n`,
      [(await kept()).totalItems],
    );
    const ofSeven = () => given.query('SELECT FROM abuse_reports WHERE link_id = 7');
    expect([await report('malware', '192.0.2.13'), (await ofSeven()).length]).toEqual([200, 1]);
    expect([await report('other', '192.0.2.13'), await ofSeven()]).toEqual([200, []]);
    await given.query('UPDATE abuse_reports SET reports = 2');
    expect([await report('other', '192.0.2.14', '/mail'), (await kept()).totalItems]).toEqual([503, 10_000]);
    await given.query('UPDATE links SET deleted_at = now() WHERE id = 8');
    expect([await report('other', '192.0.2.14', '/mail'), (await kept()).totalItems]).toEqual([200, 10_000]);
    expect(await given.query('SELECT FROM abuse_reports WHERE link_id = 8')).toEqual([]);
    // Reports of visitors push nothing out of the audit log.
    expect(await given.query(`SELECT FROM audit_log WHERE kind = 'abuse-report'`)).toEqual([]);
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    gateway.ask(path, { headers: { host: TEST_DOMAIN, 'x-forwarded-for': '192.0.2.1', ...headers } });
  const press = (path: string, form: URLSearchParams, headers: Record<string, string> = {}) =>
    gateway.ask(path, {
      method: 'POST',
      headers: { host: TEST_DOMAIN, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form.toString(),
    });
  const setCookies = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat().map((line) => line.split(';')[0]!);
  const cookieOf = (answer: Answer) => ({ cookie: setCookies(answer).join('; ') });
  const keep = (jar: Map<string, string>, answer: Answer) => {
    for (const cookie of setCookies(answer)) jar.set(cookie.split('=')[0]!, cookie);
  };
  const cookiesIn = (jar: Map<string, string>) => ({ cookie: [...jar.values()].join('; ') });

  const visitsOf = async (code: string) =>
    (await visitsIn(ground.topics.visits)).filter((visit) => visit.code === code).map(({ destination }) => destination);
});
