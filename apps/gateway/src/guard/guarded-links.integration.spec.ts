import { decodeOrphanVisit } from '@hopcount/contracts';
import { hashPassword } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { formOf, insertLink, TEST_DOMAIN, TEST_SECRET, visitsIn } from '../gateway.spec-helpers.js';
import {
  add,
  ask,
  attempt,
  cookieOf,
  FORM,
  newAddress,
  PASSWORD,
  press,
  stack,
  startStack,
  stopStack,
  submit,
  TARGET,
  visitsOf,
  warn,
} from './guarded-links.spec-helpers.js';

const OTHER_SECRET = 'the next secret of the gateway tests, long enough';

beforeAll(startStack);
afterAll(stopStack);

describe('a link with a password', () => {
  it('asks for it, opens with it, and then counts and sends on as any other', async () => {
    const linkId = await add('secret', { redirect_status: 301 });
    const page = await ask('/secret?to=me');
    expect([page.status, page.headers.location, page.headers['set-cookie']]).toEqual([401, undefined, undefined]);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^;]+; .*frame-ancestors 'none'$/,
      ),
    });
    expect(page.body).not.toContain('secret.example');
    expect(await visitsOf(linkId)).toEqual([]);

    const opened = await submit('/secret?to=me', PASSWORD);
    expect([opened.status, opened.headers.location]).toEqual([303, '/secret?to=me']);
    expect(String(opened.headers['set-cookie'])).toMatch(
      /^hc_pass=[^;]+; Path=\/secret; Max-Age=3600; HttpOnly; SameSite=Lax$/,
    );
    expect(await visitsOf(linkId)).toEqual([]);
    const visit = await ask('/secret?to=me', { cookie: cookieOf(opened) });
    expect([visit.status, visit.headers.location]).toEqual([301, `${TARGET}&to=me`]);
    expect(visit.headers['cache-control']).toBe('private, no-store');
    expect((await visitsOf(linkId)).map(({ eventId }) => eventId)).toEqual([visit.headers['x-visit-id']]);
  });

  it('S24: is not got round by HEAD, the pixel, what follows the code, a rule, a cookie of another link, or parameters', async () => {
    const rules = [
      { longUrl: 'https://ruled.example/', conditions: [{ type: 'any-value-query-param', matchKey: 'r' }] },
    ];
    const linkId = await add('kept', { extra_path: 'append', redirect_rules: JSON.stringify(rules), max_visits: 1 });
    await add('kept-2');
    const other = cookieOf(await submit('/kept-2', PASSWORD));
    const paths = [
      '/kept',
      '/kept/track',
      '/kept/a/b',
      '/kept?r=1',
      '/kept?password=an%20open%20s%C3%A9same',
      '/kept?nostat',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'HEAD']) {
        for (const cookie of ['', other, 'hc_pass=x', `hc_pass=${'a'.repeat(4)}.zzzzzz.${'a'.repeat(22)}`]) {
          const { status, headers, body } = await ask(path, cookie === '' ? {} : { cookie }, method);
          expect([path, method, status, headers.location]).toEqual([path, method, 401, undefined]);
          expect(method === 'HEAD' ? body : '').toBe('');
        }
      }
    }
    // Nothing of it was a visit, or used the only one up.
    const mine = cookieOf(await submit('/kept', PASSWORD));
    expect((await ask('/kept/a', { cookie: mine })).headers.location).toContain('secret.example/target/a');
    expect(await visitsOf(linkId)).toHaveLength(1);
    expect((await ask('/kept', { cookie: mine })).status).toBe(404);
  });

  it('that is disabled, over, not yet there or unknown answers as if it had none, also to a form', async () => {
    await add('off', { disabled: true });
    await add('over', { valid_until: '2020-01-01T00:00:00Z' });
    await add('young', { valid_since: '2100-01-01T00:00:00Z' });
    await add('moved', { valid_until: '2020-01-01T00:00:00Z', expired_url: 'https://example.com/over' });
    await insertLink(stack.ground.database, { code: 'plain', longUrl: TARGET });
    for (const code of ['off', 'over', 'young', 'none']) {
      expect([code, (await ask(`/${code}`)).status]).toEqual([code, 404]);
      expect([code, (await submit(`/${code}`, PASSWORD)).status]).toEqual([code, 405]);
    }
    expect((await ask('/moved')).headers.location).toBe('https://example.com/over');
    expect((await submit('/plain', PASSWORD)).status).toBe(405);
  });

  it('closes again with another password, and without one is open', async () => {
    const linkId = await add('changed');
    const cookie = cookieOf(await submit('/changed', PASSWORD));
    const status = async (from = stack.gateway) => (await ask('/changed', { cookie }, 'GET', from)).status;
    expect(await status()).toBe(302);
    /** As a gateway sees it that has not known the link before. */
    const change = async (to: string | null) => {
      await stack.ground.database.query('UPDATE links SET password_hash = $2, version = version + 1 WHERE id = $1', [
        linkId,
        to,
      ]);
      await stack.ground.redis.client.flushall();
      return stack.ground.start();
    };
    const next = await change(await hashPassword('another password'));
    expect([await status(next), (await submit('/changed', PASSWORD, { from: next })).status]).toEqual([401, 401]);
    expect((await submit('/changed', 'another password', { from: next })).status).toBe(303);
    const last = await change(null);
    expect((await ask('/changed', {}, 'GET', last)).status).toBe(302);
    await Promise.all([next.close(), last.close()]);
  });

  it('opens with cookies that gateways signed before the secret was replaced', async () => {
    await add('rotated');
    const cookie = cookieOf(await submit('/rotated', PASSWORD));
    const both = {
      HOPCOUNT_SECRET: OTHER_SECRET,
      HOPCOUNT_OTHER_SECRET: TEST_SECRET,
      HOPCOUNT_HASH_SECRET: TEST_SECRET,
    };
    const next = await stack.ground.start({ ...both });
    const last = await stack.ground.start({ HOPCOUNT_SECRET: OTHER_SECRET });
    try {
      expect((await ask('/rotated', { cookie }, 'GET', next)).status).toBe(302);
      expect((await ask('/rotated', { cookie }, 'GET', last)).status).toBe(401);
      const signed = cookieOf(await submit('/rotated', PASSWORD, { from: next }));
      expect((await ask('/rotated', { cookie: signed }, 'GET', last)).status).toBe(302);
    } finally {
      await Promise.all([next.close(), last.close()]);
    }
  });

  it('S24: takes ten wrong tries of a client, over all gateways, and hundreds of all; who is right gets in all the same', async () => {
    const linkId = await add('guessed');
    // A class behind one address.
    expect(await attempt('/guessed', Array<string>(12).fill(PASSWORD))).toEqual(Array<number>(12).fill(303));
    const other = await stack.ground.start();
    const address = newAddress();
    const wrong = ['1', '2', '3', PASSWORD, '4', '5'];
    const expected = [401, 401, 401, 303, 401, 401];
    expect(await attempt('/guessed', wrong, { address })).toEqual(expected);
    expect(await attempt('/guessed', wrong, { address, from: other })).toEqual(expected);
    const refused = await submit('/guessed', PASSWORD, { address });
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    await other.close();

    // As if thousands had guessed together.
    const useUp = (bucket: string) =>
      stack.ground.redis.client.set(`hc:rate:{link:${linkId}}:${bucket}`, String(9e15), 'PX', 600_000);
    const late = (address: string, passwords = [PASSWORD]) => attempt('/guessed', passwords, { address });
    await useUp('passwords');
    expect(await late('2001:db8:7:1::1', [PASSWORD, PASSWORD, 'wrong'])).toEqual([303, 303, 401]);
    // One customer of a hoster has all networks of a /48.
    expect([await late('2001:db8:7:2::1'), await late('2001:db8:8:1::1')]).toEqual([[429], [303]]);
    await useUp('spare-passwords');
    expect(await late('2001:db8:9:1::1')).toEqual([429]);
    const metrics = await stack.gateway.operations('/metrics');
    expect(metrics).toMatch(/hopcount_link_password_tries_total\{outcome="limited".*\} [1-9]/);
  });

  it('is guessed as seldom while Redis is away', async () => {
    await add('away');
    const alone = await stack.ground.start({ REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const tries = [PASSWORD, ...Array.from({ length: 11 }, (_, n) => `wrong ${n}`)];
      expect(await attempt('/away', tries, { from: alone })).toEqual([303, ...Array<number>(10).fill(401), 429]);
      expect((await submit('/away', PASSWORD, { from: alone })).status).toBe(303);
    } finally {
      await alone.close();
    }
  });

  it('takes a form of ours, whole, small and in time, and nothing of other pages', async () => {
    const post = (headers: object, body: string) =>
      stack.gateway.ask('/form', {
        method: 'POST',
        headers: { host: TEST_DOMAIN, 'x-forwarded-for': newAddress(), ...headers },
        body,
      });
    expect((await post({ 'content-type': 'application/json' }, '{}')).status).toBe(415);
    expect((await post({ 'content-type': FORM }, `password=${'x'.repeat(5_000)}`)).status).toBe(413);
    const chunked = { 'content-type': FORM, 'transfer-encoding': 'chunked' };
    expect((await post(chunked, `password=${'x'.repeat(5_000)}`)).status).toBe(413);
    for (const body of [
      '',
      'password=',
      'password=a&password=b',
      `password=${'x'.repeat(129)}`,
      '%',
      'pässword=\u0000',
    ]) {
      expect([body, (await post({ 'content-type': FORM }, body)).status]).toEqual([body, 401]);
    }
    expect((await submit('/form', PASSWORD, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(401);
    expect((await submit('/form', PASSWORD, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(303);
    // The same letters from another keyboard.
    expect((await submit('/form', PASSWORD.normalize('NFD'))).status).toBe(303);
    expect(await stack.slowAnswer).toContain(' 408 ');
  });

  it('keeps its cookie under the address it was opened at, whatever its code holds', async () => {
    for (const [code, path] of [
      ['a;b', '/a%3Bb'],
      ['été', '/%C3%A9t%C3%A9'],
    ] as const) {
      await add(code);
      const { headers } = await submit(code === 'a;b' ? '/a;b' : path, PASSWORD);
      expect([headers.location, String(headers['set-cookie'])]).toEqual([
        path,
        expect.stringContaining(`; Path=${path};`),
      ]);
    }
    const secure = await submit('/secret', PASSWORD, { headers: { 'x-forwarded-proto': 'https' } });
    expect(String(secure.headers['set-cookie'])).toMatch(/; Secure$/);
  });

  it('records who got no further as orphan visits of their own', async () => {
    const recorded = async () =>
      (await stack.ground.topics.orphans.readAll()).map(({ value }) => {
        const decoded = decodeOrphanVisit(value);
        return decoded.outcome === 'ok' ? `${decoded.visit.type} ${decoded.visit.path}` : '';
      });
    await waitUntil(async () => (await recorded()).includes('held_back /secret'), {
      describe: 'the page that was shown',
    });
    expect((await recorded()).filter((one) => one === 'held_back /secret')).toHaveLength(1);
  });

  it('leaves the hash in PostgreSQL: Redis, which others may read, has nothing to try passwords with', async () => {
    const keys = await stack.ground.redis.client.keys('hc:link2:*');
    const copies = await Promise.all(keys.map((key) => stack.ground.redis.client.hgetall(key)));
    const text = JSON.stringify(copies);
    expect(text).toContain('"policy":"{\\"password\\"');
    expect(text).not.toContain('argon2');
    const events = JSON.stringify([
      await visitsIn(stack.ground.topics.visits),
      (await stack.ground.topics.orphans.readAll()).map((one) => String(one.value)),
    ]);
    expect(events).not.toMatch(/argon2|sesame|s%C3%A9same/);
  });
});

describe('a link with a warning', () => {
  it('S7: names the host, and sends on and counts who presses the button, once', async () => {
    const linkId = await warn('odd', 'https://раураl.example/"><script>?x=1', { redirect_status: 308 });
    const page = await ask('/odd?a=b');
    expect([page.status, page.headers.location, page.headers['cache-control']]).toEqual([200, undefined, 'no-store']);
    expect(page.body).toContain('<p class="host">xn--');
    expect(page.body).toContain('letters that can look like others');
    expect(page.body).not.toMatch(/<script|раураl/);
    expect((await ask('/odd', {}, 'HEAD')).headers.location).toBeUndefined();
    const back = await press('/odd?a=b', formOf(page), { 'sec-fetch-site': 'same-origin' });
    expect([back.status, back.headers.location]).toEqual([303, '/odd?a=b']);
    expect(await visitsOf(linkId)).toEqual([]);
    const visit = await ask('/odd?a=b', { cookie: cookieOf(back) });
    expect([visit.status, visit.headers['cache-control']]).toEqual([308, 'private, no-store']);
    expect((await visitsOf(linkId)).map(({ eventId }) => eventId)).toEqual([visit.headers['x-visit-id']]);
  });

  it('is passed by its own page of the last minutes only, for the host that it named', async () => {
    const linkId = await warn('mine', TARGET);
    await warn('other', TARGET);
    const form = formOf(await ask('/mine'));
    const otherForm = formOf(await ask('/other'));
    const elsewhere = new URLSearchParams([...form]);
    elsewhere.set('to', 'evil.example');
    const old = new URLSearchParams([...form]);
    old.set('shown', form.get('shown')!.replace(/\.[0-9a-z]+\./, '.zzzzzz.'));
    for (const [sent, headers] of [
      [otherForm, {}],
      [elsewhere, {}],
      [old, {}],
      [new URLSearchParams({ shown: '' }), {}],
      [new URLSearchParams(), {}],
      [form, { 'sec-fetch-site': 'cross-site' }],
    ] as [URLSearchParams, Record<string, string>][]) {
      const { status, headers: answered } = await press('/mine', sent, headers);
      expect([status, answered.location, answered['set-cookie']]).toEqual([303, '/mine', undefined]);
    }
    const cookie = cookieOf(await press('/mine', form));
    expect((await ask('/mine', { cookie })).headers.location).toBe(TARGET);
    for (const forged of [cookieOf(await press('/other', otherForm)), `hc_seen=${form.get('shown')!}`, 'hc_seen=']) {
      expect([forged, (await ask('/mine', { cookie: forged })).status]).toEqual([forged, 200]);
    }
    await stack.ground.database.query(
      `UPDATE links SET long_url = 'https://moved.example/', version = version + 1 WHERE id = $1`,
      [linkId],
    );
    await stack.ground.redis.client.flushall();
    const next = await stack.ground.start();
    expect((await ask('/mine', { cookie }, 'GET', next)).body).toContain('moved.example');
    await next.close();
    expect(await visitsOf(linkId)).toHaveLength(1);
  });

  it('warns of where visitors go after the end, too; after the password, if it has one', async () => {
    const ended = { max_visits: 1, expired_url: 'https://ended.example/' };
    await warn('both', TARGET, { password_hash: stack.hash, ...ended });
    expect((await ask('/both')).status).toBe(401);
    const pass = cookieOf(await submit('/both', PASSWORD));
    const page = await ask('/both', { cookie: pass });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('secret.example')]);
    const seen = cookieOf(await press('/both', formOf(page)));
    expect((await ask('/both', { cookie: seen })).status).toBe(401);
    const cookie = `${pass}; ${seen}`;
    expect((await ask('/both', { cookie })).headers.location).toBe(TARGET);
    const over = await ask('/both', { cookie });
    expect([over.status, over.body]).toEqual([200, expect.stringContaining('ended.example')]);
  });
});
