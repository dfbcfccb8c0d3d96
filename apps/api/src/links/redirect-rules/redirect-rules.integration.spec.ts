import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { redirectRulesSchema } from '@hopcount/contracts';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com', customSlug: 'ruled' });
  await api.create({ longUrl: 'https://other.example', customSlug: 'ruled', domain: 'b.example' });
});
afterAll(() => api.stop());

const PATH = '/rest/v3/short-urls/ruled/redirect-rules';
const set = (body: unknown, headers: Record<string, string> = {}, method = 'POST', path = PATH) =>
  api.request(method, path, { body, headers });
const android = { type: 'device', matchKey: null, matchValue: 'android' };
const rule = (longUrl: string, ...conditions: unknown[]) => ({ longUrl, conditions });

describe('redirect rules over HTTP', () => {
  it('are none at first, replaced as a whole, numbered in their order and followed by gateways', async () => {
    const none = { defaultLongUrl: 'https://example.com', redirectRules: [], split: [] };
    expect((await api.request('GET', PATH)).body).toEqual(none);
    expect((await api.get('short-urls/ruled')).body['hasRedirectRules']).toBe(false);

    const rules = [
      rule('https://example.com/ä', android, { type: 'language', matchValue: 'de' }),
      rule('https://example.com/q', { type: 'query-param', matchKey: 'a', matchValue: 'b' }),
    ];
    const answer = await set({ redirectRules: rules });
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, '"2"']);
    const expected = [
      {
        ...rule('https://example.com/%C3%A4', android, { type: 'language', matchKey: null, matchValue: 'de' }),
        priority: 1,
      },
      { ...rules[1], priority: 2 },
    ];
    expect(redirectRulesSchema.parse(answer.body)).toEqual({ ...none, redirectRules: expected });
    expect((await api.request('GET', PATH)).body).toEqual(answer.body);
    expect((await api.get('short-urls/ruled')).body['hasRedirectRules']).toBe(true);
    expect((await api.get('short-urls/ruled?domain=b.example')).body['hasRedirectRules']).toBe(false);

    const fewer = await set({ redirectRules: rules.slice(1) }, { 'if-match': '"2"' }, 'PATCH');
    expect(fewer.body['redirectRules']).toEqual([{ ...rules[1], priority: 1 }]);
    const [row] = await api.database.query<{ policy: string }>(
      `SELECT link_policy(links) AS policy FROM links WHERE code = 'ruled' AND redirect_rules IS NOT NULL`,
    );
    expect(JSON.parse(row!.policy)).toEqual({ rules: rules.slice(1) });
    expect((await set({ redirectRules: [] })).body).toEqual(none);
    expect((await api.get('short-urls/ruled')).body['hasRedirectRules']).toBe(false);
  });

  it('keep the split unless it is given', async () => {
    const split = [
      { longUrl: 'https://example.com/a', weight: 1 },
      { longUrl: 'https://example.com/b', weight: 3 },
    ];
    expect((await set({ redirectRules: [], split })).body['split']).toEqual(split);
    const ruled = await set({ redirectRules: [rule('https://example.com/a', android)] });
    expect(ruled.body['split']).toEqual(split);
    expect((await set({ redirectRules: [], split: [] })).body['split']).toEqual([]);
  });

  const many = <Item>(length: number, item: Item) => Array.from({ length }, () => item);
  it.each([
    [{}, 400, 'redirectRules'],
    [{ redirectRules: null }, 400, 'redirectRules'],
    [{ redirectRules: [{ longUrl: 'https://example.com' }] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('https://example.com')] }, 400, 'redirectRules'],
    [{ redirectRules: [rule(' ', android)] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('example.com', android)] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('https://example.com', { ...android, matchValue: 'toaster' })] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('https://example.com', { type: 'moon', matchValue: 'full' })] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('https://example.com', { ...android, matchValue: 'a\u0000' })] }, 400, 'redirectRules'],
    [{ redirectRules: [rule('https://example.com', { ...android, more: 1 })] }, 400, 'redirectRules'],
    [{ redirectRules: many(51, rule('https://example.com', android)) }, 400, 'redirectRules'],
    [{ redirectRules: many(40, rule(`https://example.com/${'x'.repeat(2_000)}`, android)) }, 400, 'redirectRules'],
    [{ redirectRules: [], split: [{ longUrl: 'https://example.com', weight: 0 }] }, 400, 'split'],
    [{ redirectRules: [], split: null }, 400, 'split'],
    [{ redirectRules: [], weight: 1 }, 400, 'weight'],
    [{ redirectRules: [rule('http://10.0.0.1', android)] }, 422, 'redirectRules'],
    [{ redirectRules: [], split: [{ longUrl: 'https://s.test/x', weight: 1 }] }, 422, 'split'],
  ])('of %.90j are refused with %i, naming %s', async (body, status, element) => {
    const before = await api.request('GET', PATH);
    const answer = await set(body);
    expect([answer.status, answer.body['invalidElements']]).toEqual([status, [element]]);
    expect((await api.request('GET', PATH)).body).toEqual(before.body);
  });

  it('are refused for another version, and for no link', async () => {
    expect((await set({ redirectRules: [] }, { 'if-match': '"1"' })).status).toBe(409);
    const nowhere = '/rest/v3/short-urls/nope/redirect-rules';
    expect((await set({ redirectRules: [] }, {}, 'POST', nowhere)).status).toBe(404);
    expect((await api.request('GET', nowhere)).status).toBe(404);
  });
});

describe('trying rules', () => {
  const IPHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
  const attempt = (body: unknown) => api.request('POST', `${PATH}/try`, { body });

  it('says which rule would count, and where everybody else would go', async () => {
    const phone = { type: 'device', matchKey: null, matchValue: 'ios' };
    const german = { type: 'language', matchKey: null, matchValue: 'de' };
    const split = [
      { longUrl: 'https://example.com/a', weight: 3 },
      { longUrl: 'https://example.com/b', weight: 1 },
    ];
    const redirectRules = [rule('https://example.com/both', phone, german), rule('https://example.com/phone', phone)];
    expect((await set({ redirectRules, split })).status).toBe(200);
    const only = (longUrl: string) => [{ longUrl, weight: 1 }];
    const tried = async (body: unknown) => (await attempt(body)).body;
    expect(await tried({ userAgent: IPHONE, acceptLanguage: 'de-CH' })).toEqual({
      ...{ rule: 1, targets: only('https://example.com/both') },
    });
    expect(await tried({ userAgent: IPHONE })).toEqual({ rule: 2, targets: only('https://example.com/phone') });
    expect(await tried({})).toEqual({ rule: null, targets: split });
    await set({
      redirectRules: [rule('https://example.com/p', { type: 'query-param', matchKey: 'a', matchValue: 'b c' })],
      split: [],
    });
    expect(await tried({ query: 'x=1&a=b+c' })).toMatchObject({ rule: 1 });
    expect(await tried({ query: 'a=c' })).toEqual({ rule: null, targets: only('https://example.com') });
  });

  it('takes what was typed or pasted, and reads as much of the query as gateways do', async () => {
    const german = { type: 'geolocation-country-code', matchKey: null, matchValue: 'DE' };
    const near = { type: 'ip-address', matchKey: null, matchValue: '192.0.2.0/24' };
    const marked = { type: 'query-param', matchKey: 'a', matchValue: '100%' };
    await set({
      redirectRules: [
        rule('https://example.com/de', german),
        rule('https://example.com/near', near),
        rule('https://example.com/marked', marked),
      ],
      split: [],
    });
    const ruleFor = async (body: unknown) => (await attempt(body)).body['rule'];
    expect(await ruleFor({ country: ' de ' })).toBe(1);
    expect(await ruleFor({ address: ' 192.0.2.7 ' })).toBe(2);
    expect(await ruleFor({ query: ' ?a=100% ' })).toBe(3);
    expect(await ruleFor({ query: `${'x&'.repeat(99)}a=100%25` })).toBe(3);
    expect(await ruleFor({ query: `${'x&'.repeat(100)}a=100%25` })).toBeNull();
  });

  it.each([[{ address: 'nowhere' }], [{ date: 'soon' }], [{ userAgent: 7 }], [{ more: 1 }]])(
    'refuses %j as a visitor',
    async (body) => expect((await attempt(body)).status).toBe(400),
  );
});
