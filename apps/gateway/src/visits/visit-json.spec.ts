import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { type VisitEventV1, visitEventV1Schema } from '@hopcount/contracts';
import { buildVisitEvent } from '@hopcount/testing';
import fc from 'fast-check';

import { describeVisit, type VisitFacts } from './describe-visit.js';
import { visitJson } from './visit-json.js';

const GOLDEN = new URL('../../../../libs/contracts/golden/', import.meta.url);
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 600 }),
  fc.constantFrom('"', '\\', '\u2028', '\ud83d', '\udc00', '\0', '\x1f', '\x7f', '</script>', 'é', '\ud83d\ude00', ''),
);
const orNull = fc.option(hostile);

describe('visitJson', () => {
  it('is what JSON.stringify makes of any visit', () => {
    const hints = fc.record({ brands: orNull, mobile: orNull, platform: orNull });
    const utm = fc.record({ source: orNull, medium: orNull, campaign: orNull, term: orNull, content: orNull });
    const visits = fc.record({
      ...{ domain: hostile, code: hostile, host: fc.option(hostile, { nil: undefined }), visitorId: orNull },
      ...{ clientIp: orNull, clientIpHash: orNull, userAgent: orNull, clientHints: fc.option(hints), referrer: orNull },
      ...{ acceptLanguage: orNull, utm: fc.option(utm), destination: hostile, groupId: orNull, source: hostile },
      signals: fc.record({ purpose: orNull, doNotTrack: fc.boolean() }),
      truncated: fc.array(hostile, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(visits, (fields) => {
        const visit = inOrder({ ...buildVisitEvent(), ...fields });
        expect(visitJson(visit)).toBe(JSON.stringify(visit));
      }),
    );
  });

  it('is what JSON.stringify makes of what the gateway says of any request', () => {
    const headers = fc.record(
      Object.fromEntries(
        ['user-agent', 'referer', 'accept-language', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-purpose'].map((name) => [
          name,
          hostile,
        ]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(headers, hostile, hostile, fc.boolean(), (given, query, destination, isFlood) => {
        const facts: VisitFacts = {
          ...{ eventId: '019a0000-1234-7000-8000-0000000000ff', host: 'b.test', destination, isFlood },
          link: {
            ...{ id: '7300000000000000001', domain: 'a.test', code: 'x', longUrl: `https://a.test/?utm_term=${query}` },
            groupId: isFlood ? 'spring' : null,
          },
          ...{ visitorId: null, clientIp: null, clientIpHash: null, doNotTrack: true, headers: given },
          ...{ query: `utm_source=${query}`, route: isFlood ? 'rule:1' : undefined, source: 'gw-test' },
        };
        const visit = describeVisit(facts);
        expect(visitJson(visit)).toBe(JSON.stringify(visit));
      }),
    );
  });

  it.each(readdirSync(GOLDEN).filter((file) => file.startsWith('visit.')))('keeps all of %s', (file) => {
    const visit = JSON.parse(readFileSync(new URL(file, GOLDEN), 'utf8')) as VisitEventV1;
    expect(visitJson(inOrder(visit))).toBe(JSON.stringify(inOrder(visit)));
  });

  it('has every field that a visit may have', () => {
    const all = { ...buildVisitEvent(), host: 'b.test', route: 'rule:1', isFlood: true as const };
    expect(Object.keys(JSON.parse(visitJson(all)) as object)).toEqual(Object.keys(visitEventV1Schema.shape));
  });
});

/** Fields as in the schema, the absent ones left out. */
function inOrder(visit: VisitEventV1): VisitEventV1 {
  const names = Object.keys(visitEventV1Schema.shape) as (keyof VisitEventV1)[];
  return Object.fromEntries(
    names.filter((name) => visit[name] !== undefined).map((name) => [name, visit[name]]),
  ) as VisitEventV1;
}
