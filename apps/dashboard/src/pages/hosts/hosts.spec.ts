import { describe, expect, it } from '@jest/globals';

import { parseHostsSearch } from './hosts-search.js';

describe('what an address says of hosts', () => {
  it('is left out where it is not understood', () => {
    expect(parseHostsSearch({ kind: 'all', order: 'name', below: '', after: 7, surges: '' })).toEqual({});
    const all = { kind: 'referrer', order: 'window', below: 'example.com', after: '5.Y29t', surges: 'open.7' };
    expect(parseHostsSearch(all)).toEqual(all);
  });
});
