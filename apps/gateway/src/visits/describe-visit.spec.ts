import { describe, expect, it } from '@jest/globals';
import { decodeVisitEvent, TEXT_LIMITS, type VisitEventV1, visitEventV1Schema } from '@hopcount/contracts';
import fc from 'fast-check';

import { cutText, decodeHeader, storableText } from './clean-text.js';
import { readWithinLimit } from './describe-agent.js';
import { asksNotToBeTracked, describeVisit as visitJson, type VisitFacts } from './describe-visit.js';
import { utmFields } from './utm-fields.js';
import { visitRecord } from './visit-record.js';

const EVENT_ID = '019a0000-1234-7000-8000-0000000000ff';
const facts = (more: Partial<VisitFacts> = {}): VisitFacts => ({
  eventId: EVENT_ID,
  link: { id: '7300000000000000001', domain: 'a.test', code: 'x', longUrl: 'https://example.com/', groupId: null },
  host: 'a.test',
  destination: 'https://example.com/',
  visitorId: 'v'.repeat(22),
  clientIp: '203.0.113.0',
  clientIpHash: '0123456789abcdef',
  doNotTrack: false,
  isFlood: false,
  headers: {},
  query: '',
  source: 'gw-test',
  ...more,
});

const describeVisit = (told: VisitFacts) => JSON.parse(visitJson(told)) as VisitEventV1;

describe('describeVisit', () => {
  it('takes the time from the event id', () => {
    expect(describeVisit(facts()).occurredAt).toBe(0x019a00001234);
  });

  it('names the host that was asked where it is not that of the link', () => {
    expect(describeVisit(facts({ host: 'b.a.test' }))).toMatchObject({ domain: 'a.test', host: 'b.a.test' });
    expect(describeVisit(facts())).not.toHaveProperty('host');
  });

  it('writes null for what a bare client does not send', () => {
    expect(describeVisit(facts())).toMatchObject({
      userAgent: null,
      referrer: null,
      acceptLanguage: null,
      clientHints: null,
      utm: null,
      signals: { purpose: null, doNotTrack: false },
      truncated: [],
    });
  });

  it('takes client hints and the purpose as sent', () => {
    const headers = { 'sec-ch-ua-mobile': '?0', 'sec-ch-ua': '"Chromium"', 'sec-purpose': 'prefetch;prerender' };
    const visit = describeVisit(facts({ headers: { ...headers, purpose: 'other' } }));
    expect(visit.clientHints).toEqual({ brands: '"Chromium"', mobile: '?0', platform: null });
    expect(visit.signals.purpose).toBe('prefetch;prerender');
    expect(describeVisit(facts({ headers: { 'x-moz': 'prefetch' } })).signals.purpose).toBe('prefetch');
  });

  it('cuts what is too long and names it', () => {
    const headers = { 'user-agent': 'u'.repeat(65_536), 'sec-ch-ua': 'b'.repeat(300), referer: 'r'.repeat(1_024) };
    const visit = describeVisit(facts({ headers, destination: `https://e/${'d'.repeat(3_000)}` }));
    expect(visit.userAgent).toHaveLength(TEXT_LIMITS.userAgent);
    expect(visit.truncated).toEqual(['userAgent', 'clientHints.brands', 'destination']);
  });

  it('always makes an event that decodes and that PostgreSQL can hold', () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 });
    const lone = fc.constantFrom('\ud83d', '\udc00', '\0', '\ud83d\ude00', 'x');
    const nasty = fc.array(fc.oneof(text, lone), { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(nasty, nasty, nasty, nasty, (agent, referer, language, query) => {
        const headers = { 'user-agent': agent, referer, 'accept-language': language, 'sec-purpose': agent };
        const told = facts({
          ...{ headers, query: `utm_source=${query}&utm_term=%00%ED%A0%80${query}`, destination: referer },
        });
        const visit = describeVisit(told);
        const { value } = visitRecord(told, undefined);
        const decoded = decodeVisitEvent(Buffer.from(value, 'utf8'));
        expect(decoded).toEqual({ outcome: 'ok', visit });
        expect(value).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }),
    );
  });

  it('has the bytes that JSON.stringify makes of its fields in the order of the schema, whatever they hold', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ maxLength: 600 }),
      fc.constantFrom('"', '\\', '\u2028', '\ud83d', '\0', '\x1f', '\x7f', '</script>', 'é', '\ud83d\ude00', ''),
    );
    const orNull = fc.option(hostile);
    const given = {
      ...{ host: hostile, destination: hostile, query: hostile.map((text) => `utm_source=${text}`), source: hostile },
      ...{ visitorId: orNull, clientIp: orNull, clientIpHash: orNull, route: fc.option(hostile, { nil: undefined }) },
      ...{ doNotTrack: fc.boolean(), isFlood: fc.boolean() },
      link: fc.record({ id: hostile, domain: hostile, code: hostile, longUrl: hostile, groupId: orNull }),
    };
    const names = ['user-agent', 'referer', 'accept-language', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-purpose'];
    const headers = fc.record(Object.fromEntries(names.map((name) => [name, hostile])), { requiredKeys: [] });
    const schema = Object.keys(visitEventV1Schema.shape);
    fc.assert(
      fc.property(fc.record({ ...given, headers }), (more) => {
        const told = facts(more);
        const json = visitJson(told);
        const visit = JSON.parse(json) as VisitEventV1;
        expect(json).toBe(JSON.stringify(visit));
        expect(Object.keys(visit)).toEqual(schema.filter((name) => name in visit));
        const { visitorId, clientIp, clientIpHash, route, source, link } = told;
        const stored = { domain: cutText(link.domain, TEXT_LIMITS.domain), code: cutText(link.code, TEXT_LIMITS.code) };
        const kept = { visitorId, clientIp, clientIpHash, source, linkId: link.id, groupId: link.groupId, ...stored };
        expect(visit).toMatchObject(route === undefined ? kept : { ...kept, route });
        expect(visit.destination).toBe(cutText(told.destination, TEXT_LIMITS.destination));
        expect(visit.userAgent).toBe(readWithinLimit('userAgent', more.headers['user-agent']));
      }),
    );
  });

  it('has every field that a visit may have', () => {
    const all = facts({ host: 'b.test', route: 'rule:1', isFlood: true });
    expect(Object.keys(describeVisit(all))).toEqual(Object.keys(visitEventV1Schema.shape));
  });
});

describe('texts', () => {
  it('lose NUL and lone surrogates, keep pairs', () => {
    expect(storableText('a\0b\ud83dc\udc00d\ud83d\ude00')).toBe('abcd\ud83d\ude00');
  });

  it('are never cut inside a pair', () => {
    expect(cutText('ab\ud83d\ude00', 3)).toBe('ab');
    expect(cutText('ab\ud83d\ude00', 4)).toBe('ab\ud83d\ude00');
  });

  it('of headers are read as UTF-8 where they are', () => {
    expect(decodeHeader(Buffer.from('Müller ✓', 'utf8').toString('latin1'))).toBe('Müller ✓');
    expect(decodeHeader('caf\xe9')).toBe('café');
    expect(decodeHeader('plain')).toBe('plain');
  });
});

describe('utmFields', () => {
  const read = (query: string) => utmFields(query, (_, value) => value);

  it('reads the first of each name that is not blank, decoded', () => {
    expect(read('a=1&utm_source=x+y&utm_source=z&utm_medium=%C3%BC&utm_content=&utm_term=+&utm_term=t')).toEqual({
      source: 'x y',
      medium: 'ü',
      campaign: null,
      term: 't',
      content: null,
    });
  });

  it.each(['utm_source=', 'utm_source=+%20%09', 'utm_source=%00', 'utm_source=%E2%80%8B&utm_medium=%EF%BB%BF'])(
    'finds nothing in blank values: %s',
    (query) => {
      expect(read(query)).toBeNull();
    },
  );

  it('keeps broken encoding as it stands and knows no other names', () => {
    expect(read('utm_term=%E0%A4%A')?.term).toBe('%E0%A4%A');
    expect([read(''), read('utm_id=1'), read('xutm_source=1'), read('utm_source')]).toEqual([null, null, null, null]);
  });
});

describe('the campaign of a visit', () => {
  const longUrl = 'https://example.com/p?a=1&utm_source=mail&utm_campaign=spring#utm_source=no';
  const link = { ...facts().link, longUrl };
  const campaign = (more: Partial<VisitFacts>) => {
    const { utm } = describeVisit(facts({ link, destination: longUrl, ...more }));
    return utm === null ? null : [utm.source, utm.medium, utm.campaign];
  };

  it("is the target's where the visitor brings none", () => {
    expect(campaign({})).toEqual(['mail', null, 'spring']);
    expect(campaign({ query: 'x=1&utm_source=&utm_medium=+' })).toEqual(['mail', null, 'spring']);
  });

  it("is the visitor's as a whole where they bring one", () => {
    expect(campaign({ query: 'utm_medium=cpc' })).toEqual([null, 'cpc', null]);
  });

  it("is that of the address a rule sends to, else the link's own", () => {
    expect(campaign({ destination: 'https://a.test/?utm_campaign=app', route: 'rule:1' })).toEqual([null, null, 'app']);
    expect(campaign({ destination: 'https://a.test/?utm_campaign=', route: 'rule:1' })).toEqual([
      'mail',
      null,
      'spring',
    ]);
    expect(campaign({ destination: '', route: 'pixel' })).toEqual(['mail', null, 'spring']);
  });

  it('is none where nothing says any, and what only looks like a query is none', () => {
    const silent = { link: { ...link, longUrl: 'https://example.com/utm_source=x#?utm_source=y' } };
    expect(campaign({ ...silent, destination: silent.link.longUrl })).toBeNull();
    expect(campaign({ ...silent, destination: 'https://example.com/x&utm_source=mail' })).toBeNull();
  });

  it('is cut to its limit and named, only where it counts', () => {
    const long = `https://example.com/?utm_term=${'t'.repeat(300)}`;
    const visit = (query: string) =>
      describeVisit(facts({ link: { ...link, longUrl: long }, destination: long, query }));
    expect(visit('')).toMatchObject({ utm: { term: 't'.repeat(256) }, truncated: ['utm.term'] });
    expect(visit('utm_term=x').truncated).toEqual([]);
  });
});

describe('visitRecord', () => {
  const traceOf = (traceparent?: string) => visitRecord(facts(), traceparent).headers['traceparent'];

  it('goes on a valid trace, and says nothing else beside the visit', () => {
    const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(traceOf(valid)).toBe(valid);
    for (const wrong of [undefined, 'x', valid.toUpperCase(), `00-${'0'.repeat(32)}-b7ad6b7169203331-01`]) {
      expect(visitRecord(facts(), wrong)).toMatchObject({ key: EVENT_ID, headers: {} });
    }
  });
});

describe('asksNotToBeTracked', () => {
  it('knows DNT and GPC, and only when they say 1', () => {
    expect(asksNotToBeTracked({ dnt: '1' })).toBe(true);
    expect(asksNotToBeTracked({ 'sec-gpc': '1' })).toBe(true);
    expect(asksNotToBeTracked({ dnt: '0', 'sec-gpc': 'true' })).toBe(false);
  });
});
