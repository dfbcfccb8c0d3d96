import { describe, expect, it } from '@jest/globals';

import { secretsOf } from './secrets.js';

describe('secrets', () => {
  it('are one, unless it is being replaced', () => {
    expect(secretsOf({ hopcountSecret: 'a' })).toMatchObject({ signing: ['a'], hashing: 'a' });
    expect(secretsOf({ hopcountSecret: 'b', hopcountHashSecret: 'a' })).toMatchObject({ signing: ['b'], hashing: 'a' });
    expect(secretsOf({ hopcountSecret: 'b', hopcountOtherSecret: 'a', hopcountHashSecret: 'a' })).toMatchObject({
      ...{ signing: ['b', 'a'], hashing: 'a' },
    });
  });

  it('of a replacement must say which one hashes are made with', () => {
    expect(() => secretsOf({ hopcountSecret: 'b', hopcountOtherSecret: 'a' })).toThrow(/HOPCOUNT_HASH_SECRET/);
  });
});
