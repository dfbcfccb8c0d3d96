import { describe, expect, it } from '@jest/globals';

import { parseHostsSearch } from './hosts-search.js';

describe('what an address says of hosts', () => {
  it('is left out where it is not understood', () => {
    const nothing = {
      kind: 'all',
      order: 'name',
      by: 'label',
      hosts: ['~direct', 'a..b', ''],
      below: '',
      after: 7,
      surges: '',
    };
    expect(parseHostsSearch(nothing)).toEqual({});
    expect(parseHostsSearch({ hosts: 'a.example' })).toEqual({ hosts: ['a.example'] });
    const many = Array.from({ length: 12 }, (_, n) => `${n}.example`);
    expect(parseHostsSearch({ hosts: ['0.example', ...many] })).toEqual({ hosts: many.slice(0, 10) });
    const all = {
      kind: 'referrer',
      order: 'window',
      below: 'example.com',
      after: '5.Y29t',
      surges: 'open.7',
      by: 'site',
      sites: 'more',
      hosts: ['example.com'],
    };
    expect(parseHostsSearch(all)).toEqual(all);
  });
});
