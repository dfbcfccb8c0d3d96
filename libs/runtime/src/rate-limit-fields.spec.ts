import { describe, expect, it } from '@jest/globals';

import { rateLimitFields, retryAfter } from './rate-limit-fields.js';

describe('header fields of rate limits', () => {
  it('are lists of strings with integer parameters, as structured fields are written', () => {
    const limits = [
      { name: 'read', burst: 5_000, perSecond: 1_000, left: 4_998, fullInMs: 2 },
      { name: 'creates', burst: 10, perSecond: 0.3, left: 0, fullInMs: 33_000 },
    ];
    expect(rateLimitFields(limits)).toEqual([
      ['ratelimit-policy', '"read";q=5000;w=5, "creates";q=10;w=33'],
      ['ratelimit', '"read";r=4998;t=1, "creates";r=0;t=33'],
    ]);
  });

  it('never ask a client to come back at once', () => {
    expect([1, 999, 1_001].map(retryAfter)).toEqual([
      ['retry-after', '1'],
      ['retry-after', '1'],
      ['retry-after', '2'],
    ]);
  });
});
