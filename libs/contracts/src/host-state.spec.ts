import { describe, expect, it } from '@jest/globals';

import { decodeHostState, isSayableHost } from './host-state.js';

const SUMS = { version: 1, dc: 'b', epoch: 1, kind: 'target', name: 'com.example', class: 'human', p: 3, n: 1 };
const decode = (state: object) => decodeHostState(Buffer.from(JSON.stringify(state)));

describe('what a data centre says of a host', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'com.example',
    'h.g.f.e.d.c.b.a',
    'com.example.~rest',
    '~rest',
    '~unknown',
    '~direct',
    '~ip.192-0-2-7',
    '~ip.2001:db8::1',
    '~ip.~rest',
    '~app.com-google-Mail',
    '~app.~rest',
    'com.' + 'ä'.repeat(498),
  ])('may be of the name %s', (name) => {
    expect(decode({ ...SUMS, name })).toEqual({ outcome: 'ok', visit: { ...SUMS, name } });
  });

  it.each([
    '',
    '.',
    'com..example',
    'com.',
    'i.h.g.f.e.d.c.b.a',
    'com.~rest.x',
    '~rest.x',
    '~rest.~rest',
    'com.~ip',
    '~ip',
    '~ip.~rest.x',
    '~unknown.x',
    '~direct.~rest',
    '~other',
    'com.a~b',
    'com.a/b',
    'com.a b',
    'com.a\n9001 forged',
    'com.\0',
    'com.\ud800',
    'com.' + 'ä'.repeat(499),
  ])('is not of %j', (name) => {
    expect(isSayableHost(name)).toBe(false);
    expect(decode({ ...SUMS, name })).not.toHaveProperty('visit');
  });

  it('is complete as of a time that PostgreSQL can hold', () => {
    const said = { version: 1, dc: 'b', epoch: 1 };
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    expect(decode({ ...said, asOf: last })).toMatchObject({ outcome: 'ok' });
    for (const asOf of [last + 1, Number.MAX_SAFE_INTEGER, -1, 0.5]) {
      expect(decode({ ...said, asOf })).not.toMatchObject({ outcome: 'ok' });
    }
  });
});
