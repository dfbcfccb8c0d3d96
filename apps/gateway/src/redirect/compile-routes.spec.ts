import { describe, expect, it } from '@jest/globals';
import { BlockList, type LinkPolicy, type RedirectCondition } from '@hopcount/links';
import { createIdentifyDevice, type Place } from '@hopcount/links/visitors';

import { compileRoutes } from './compile-routes.js';
import { VisitorFacts } from './visitor-facts.js';

const NOW = Date.UTC(2026, 10, 22);
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const PIXEL =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36';
const EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';
const CHROMEBOOK =
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const OPERA =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0';
const OLD_ANDROID =
  'Mozilla/5.0 (Linux; U; Android 4.0.3; de-de; GT-I9100) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30';

const IPAD = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const IPAD_CHROME = `${IPAD} CriOS/131.0.6778.73 Version/11.1.1 Safari/605.1.15`;
const IPAD_EDGE = `${IPAD} Version/17.0 EdgiOS/131.0.2903.48 Safari/605.1.15`;
const IPAD_FIREFOX = `${IPAD} FxiOS/132.0 Safari/605.1.15`;

const RULES = { schemes: ['https'], blocks: BlockList.NONE };
const identifyDevice = createIdentifyDevice();
const place = { country: 'CH', city: 'Zürich' } as Place;
const link = {
  id: '7',
  domain: 'a.test',
  code: 'x',
  longUrl: 'https://x.test',
  groupId: null,
  policy: null,
  version: '1',
};

interface Asking {
  agent?: string;
  hints?: Record<string, string>;
  language?: string;
  query?: string;
  address?: string | null;
  nowMs?: number;
  key?: string;
}

function visitor({ agent, hints, language, query = '', address = '1.2.3.4', nowMs = NOW, key = 'somebody' }: Asking) {
  const headers = {
    ...(agent === undefined ? {} : { 'user-agent': agent }),
    ...(language === undefined ? {} : { 'accept-language': language }),
    ...hints,
  };
  const locate = (asked: string | null) =>
    asked === '1.2.3.4' ? place : ({ country: 'unknown', city: 'unknown' } as Place);
  return new VisitorFacts({ identifyDevice, locate }, headers, query, address, nowMs, () => key);
}

const choose = (policy: LinkPolicy, asking: Asking) =>
  compileRoutes(link, policy, RULES)?.choose(visitor(asking))?.name;
const condition = (type: string, matchValue: string | null, matchKey: string | null = null) =>
  ({ type, matchKey, matchValue }) as RedirectCondition;
const rule = (longUrl: string, ...conditions: RedirectCondition[]) => ({ longUrl, conditions });

describe('a condition', () => {
  const holds = (asked: RedirectCondition, asking: Asking) =>
    choose({ rules: [rule('https://r.test', asked)] }, asking) === 'rule:1';

  it.each([
    ['android', [PIXEL, OLD_ANDROID]],
    ['ios', [IPHONE]],
    ['mobile', [IPHONE, PIXEL, OLD_ANDROID]],
    ['windows', [EDGE, OPERA]],
    ['macos', [MAC]],
    ['linux', [LINUX]],
    ['chromeos', [CHROMEBOOK]],
    ['desktop', [EDGE, MAC, LINUX, CHROMEBOOK, OPERA]],
  ])('about the device %s holds for these and no others', (device, agents) => {
    const all = [IPHONE, PIXEL, EDGE, MAC, LINUX, CHROMEBOOK, OPERA, OLD_ANDROID, 'curl/8', undefined];
    const asked = condition('device', device);
    expect(all.filter((agent) => holds(asked, agent === undefined ? {} : { agent })).sort()).toEqual(
      [...agents].sort(),
    );
  });

  it.each([IPAD_CHROME, IPAD_EDGE, IPAD_FIREFOX])('about iOS holds for an iPad that asks as a Mac: %s', (agent) => {
    const held = ['ios', 'mobile', 'macos', 'desktop'].filter((device) =>
      holds(condition('device', device), { agent }),
    );
    expect(held).toEqual(['ios', 'mobile']);
  });

  it('about a device follows client hints where the agent is silent, as the statistics of the visit do', () => {
    const hints = {
      'sec-ch-ua-platform': '"Android"',
      'sec-ch-ua-mobile': '?1',
      'sec-ch-ua': '"Google Chrome";v="131"',
    };
    const asking = { agent: 'Mozilla/5.0', hints };
    const held = ['android', 'mobile', 'desktop'].filter((device) => holds(condition('device', device), asking));
    expect(held).toEqual(['android', 'mobile']);
    expect(holds(condition('browser', 'chrome'), asking)).toBe(true);
  });

  it.each([
    ['chrome', [PIXEL, CHROMEBOOK]],
    ['firefox', [LINUX]],
    ['edge', [EDGE]],
    ['safari', [IPHONE, MAC]],
    ['opera', [OPERA]],
    ['android_browser', [OLD_ANDROID]],
  ])('about the browser %s holds for these and no others', (browser, agents) => {
    const all = [IPHONE, PIXEL, EDGE, MAC, LINUX, CHROMEBOOK, OPERA, OLD_ANDROID, 'curl/8'];
    expect(all.filter((agent) => holds(condition('browser', browser), { agent })).sort()).toEqual([...agents].sort());
  });

  it.each([
    ['de', 'de', true],
    ['de', 'de-CH, en;q=0.5', true],
    ['de-CH', 'de_ch;q=0.9', true],
    ['de_CH', 'fr, de-CH;q=1.0', true],
    ['de', 'en, de;q=0.89', false],
    ['de-CH', 'de', false],
    ['de-CH', 'de-AT', false],
    ['en', '*', false],
    ['en', 'en;q=x', true],
    ['en', '', false],
  ])('about the language %s under "%s"', (language, header, isHolding) => {
    expect(holds(condition('language', language), { language: header })).toBe(isHolding);
  });

  it.each([
    ['query-param', 'a b', 'x', 'a+b=x', true],
    ['query-param', 'a', 'x', 'a=y&a=x', true],
    ['query-param', 'a', 'ü', 'a=%C3%BC', true],
    ['query-param', 'a', 'x', 'a=X', false],
    ['query-param', 'a', 'x', 'b=x', false],
    ['any-value-query-param', 'a', null, 'a', true],
    ['any-value-query-param', 'a', null, 'b&a=7', true],
    ['any-value-query-param', 'a', null, 'aa=1', false],
    ['valueless-query-param', 'a', null, 'a', true],
    ['valueless-query-param', 'a', null, 'a=', true],
    ['valueless-query-param', 'a', null, 'a=1', false],
    ['valueless-query-param', 'a', null, '%', false],
  ])('%s about %s and %s under ?%s', (type, key, value, query, isHolding) => {
    expect(holds(condition(type, value, key), { query })).toBe(isHolding);
  });

  it.each([
    ['ip-address', '1.2.3.4', '1.2.3.4', true],
    ['ip-address', '1.2.0.0/16', '1.2.3.4', true],
    ['ip-address', '1.*.3.*', '1.2.3.4', true],
    ['ip-address', '2001:db8::/32', '2001:db8::7', true],
    ['ip-address', '1.2.0.0/16', '2001:db8::7', false],
    ['ip-address', '0.0.0.0/0', null, false],
    ['geolocation-country-code', 'CH', '1.2.3.4', true],
    ['geolocation-country-code', 'CH', '9.9.9.9', false],
    ['geolocation-city-name', 'zürich', '1.2.3.4', true],
    ['geolocation-city-name', 'Bern', '1.2.3.4', false],
  ])('%s %s for %s', (type, value, address, isHolding) => {
    expect(holds(condition(type, value), { address })).toBe(isHolding);
  });

  it.each([
    ['before-date', -1, true],
    ['before-date', 0, false],
    ['after-date', 1, true],
    ['after-date', 0, false],
  ])('%s, %i ms from it', (type, ms, isHolding) => {
    expect(holds(condition(type, '2026-11-22T01:00:00+01:00'), { nowMs: NOW + ms })).toBe(isHolding);
  });

  it.each([
    ['device', 'toaster'],
    ['device', 'constructor'],
    ['browser', 'constructor'],
    ['ip-address', 'x'],
    ['before-date', 'x'],
    ['phase-of-the-moon', 'full'],
  ])('that means nothing (%s %s) holds for nobody', (type, value) => {
    expect(holds(condition(type, value), { agent: EDGE })).toBe(false);
  });
});

describe('rules', () => {
  const german = condition('language', 'de');
  const android = condition('device', 'android');

  it('lead to the first whose conditions all hold', () => {
    const rules = [
      rule('https://1.test', german, android),
      rule('https://2.test', android),
      rule('https://3.test', german),
    ];
    expect(choose({ rules }, { agent: PIXEL, language: 'de' })).toBe('rule:1');
    expect(choose({ rules }, { agent: PIXEL, language: 'fr' })).toBe('rule:2');
    expect(choose({ rules }, { agent: IPHONE, language: 'de' })).toBe('rule:3');
    expect(choose({ rules }, { agent: IPHONE })).toBeUndefined();
  });

  it('whose target nobody may be sent to are passed over, and the others keep their numbers', () => {
    const rules = [rule('javascript:x', german), rule('https://2.test', german)];
    expect(choose({ rules }, { language: 'de' })).toBe('rule:2');
  });

  it('come before the split', () => {
    const policy = { rules: [rule('https://1.test', german)], split: [{ longUrl: 'https://s.test', weight: 1 }] };
    expect(choose(policy, { language: 'de' })).toBe('rule:1');
    expect(choose(policy, { language: 'en' })).toBe('split:1');
  });

  it('of a shape nobody knows hold for nobody, and hurt nobody', () => {
    const policy = JSON.parse(`{
      "rules": [null, 7, {"longUrl": "https://1.test"}, {"longUrl": 5, "conditions": []}, {"longUrl": "https://2.test", "conditions": [null]},
        {"longUrl": "https://3.test", "conditions": [{"matchValue": "x"}]}, {"longUrl": "https://4.test", "conditions": [{"type": "language", "matchValue": 5}]},
        {"longUrl": "https://5.test", "conditions": [{"type": "language", "matchValue": "de"}]}],
      "split": [null, {"longUrl": "https://s.test"}, {"longUrl": "https://s.test", "weight": 1}]
    }`) as LinkPolicy;
    expect(choose(policy, { language: 'de' })).toBe('rule:8');
    expect(choose(policy, { language: 'fr' })).toBe('split:3');
  });

  it('say whether they ask for a place, so that nobody else waits for one', () => {
    const needsPlace = (type: string) =>
      compileRoutes(link, { rules: [rule('https://1.test', condition(type, 'x'))] }, RULES)?.needsPlace;
    expect(['device', 'geolocation-city-name', 'geolocation-country-code'].map(needsPlace)).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('a split', () => {
  const split = [
    { longUrl: 'https://a.test', weight: 1 },
    { longUrl: 'https://b.test', weight: 3 },
  ];
  const of = (key: string, id = '7') =>
    compileRoutes({ ...link, id }, { split }, RULES)?.choose(visitor({ key }))?.name;
  const keys = Array.from({ length: 4_000 }, (_, n) => `visitor ${n}`);

  it('leads each visitor to the same target every time, and shares visitors by weight', () => {
    const first = keys.map((key) => of(key));
    expect(keys.map((key) => of(key))).toEqual(first);
    const shareOfA = first.filter((name) => name === 'split:1').length / keys.length;
    expect(shareOfA).toBeGreaterThan(0.22);
    expect(shareOfA).toBeLessThan(0.28);
  });

  it('is another one for each link', () => {
    const both = keys.filter((key) => of(key) === 'split:1' && of(key, '8') === 'split:1').length / keys.length;
    expect(both).toBeLessThan(0.1);
  });
});
