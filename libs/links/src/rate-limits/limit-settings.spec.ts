import { describe, expect, it } from '@jest/globals';

import { defaultOf, LIMIT_NAMES, limitFault } from './limit-settings.js';

describe('limits that can be stored', () => {
  it.each([
    ['REDIRECT_LIMIT', '10:5'],
    ['NOT_FOUND_LIMIT', '30:0.5'],
    ['RATE_LIMIT_REDIRECTS', 'true'],
    ['API_RATE_LIMITS', 'false'],
  ] as const)('%s may be %s', (name, value) => {
    expect(limitFault(name, value)).toBeUndefined();
  });

  it.each(['', '5', '5/s', '0:5', '10:0', '-1:5', '10:5:1', '10:1e9', '99999999:1', 'true'])(
    'a size cannot be "%s": the refusal says what it can be',
    (value) => {
      expect(limitFault('REDIRECT_LIMIT', value)).toMatch(
        /^REDIRECT_LIMIT cannot be ".*": give how many .* such as 100:10/,
      );
    },
  );

  it.each(['', 'yes', '10:5'])('a switch cannot be "%s"', (value) => {
    expect(limitFault('API_RATE_LIMITS', value)).toBe(`API_RATE_LIMITS cannot be "${value}": give true or false.`);
  });

  it('have defaults that could be stored', () => {
    expect(LIMIT_NAMES.filter((name) => limitFault(name, defaultOf(name)) !== undefined)).toEqual([]);
    expect([defaultOf('REDIRECT_LIMIT'), defaultOf('RATE_LIMIT_REDIRECTS')]).toEqual(['100:10', 'false']);
  });
});
