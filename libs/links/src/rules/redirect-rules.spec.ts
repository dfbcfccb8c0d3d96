import { describe, expect, it } from '@jest/globals';

import { conditionFault, type ConditionType } from './redirect-rules.js';

const fault = (type: ConditionType, matchKey: string | null, matchValue: string | null) =>
  conditionFault({ type, matchKey, matchValue });

describe('a condition', () => {
  it.each([
    ['device', null, 'chromeos'],
    ['browser', null, 'android_browser'],
    ['language', null, 'pt-BR'],
    ['language', null, 'zh_Hant_TW'],
    ['query-param', 'a', 'b'],
    ['any-value-query-param', 'a', null],
    ['valueless-query-param', 'a', null],
    ['ip-address', null, '1.2.*.4'],
    ['ip-address', null, '2001:db8::/32'],
    ['geolocation-country-code', null, 'DE'],
    ['geolocation-city-name', null, 'São Paulo'],
    ['before-date', null, '2028-02-29T00:00:00+02:00'],
    ['after-date', null, '2026-01-01T00:00:00.5Z'],
  ] as const)('%s of %s and %s is fine', (type, key, value) => {
    expect(fault(type, key, value)).toBeUndefined();
  });

  it.each([
    ['device', null, 'Android'],
    ['device', null, null],
    ['browser', null, 'netscape'],
    ['language', null, 'deutsch!'],
    ['language', null, ''],
    ['query-param', null, 'b'],
    ['query-param', 'a', null],
    ['query-param', 'a', ''],
    ['any-value-query-param', '', 'b'],
    ['valueless-query-param', null, null],
    ['ip-address', null, '1.2.3'],
    ['ip-address', null, null],
    ['geolocation-country-code', null, 'de'],
    ['geolocation-country-code', null, 'DEU'],
    ['geolocation-city-name', null, ' '],
    ['before-date', null, '2027-02-29T00:00:00Z'],
    ['before-date', null, '2026-01-01'],
    ['after-date', null, '2026-01-01T25:00:00Z'],
  ] as const)('%s of %s and %s means nothing, and it is said why', (type, key, value) => {
    expect(fault(type, key, value)).toMatch(/^match(Key|Value) must /);
  });
});
