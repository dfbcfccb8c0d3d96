import { describe, expect, it } from '@jest/globals';

import { changeOf } from './shortcuts.js';

describe('the keys of a page', () => {
  it('choose the ranges that Plausible has under them, and forget days that were typed', () => {
    const typed = { from: '2026-01-01', to: '2026-01-02' } as const;
    const chosen = [...'dewtmly'].map((key) => [key, changeOf(key, typed)]);
    const ranges = ['today', 'yesterday', 'last7days', 'last30days', 'monthToDate', 'lastMonth', 'yearToDate'];
    expect(chosen).toEqual(ranges.map((range, at) => ['dewtmly'[at], { range, from: undefined, to: undefined }]));
  });

  it('compare with the range before, and no more', () => {
    expect(changeOf('x', {})).toEqual({ compare: 'previous' });
    expect(changeOf('x', { compare: 'year' })).toEqual({ compare: undefined });
  });

  it('leave a page alone that no key is of', () => {
    expect([...'aq1 '].map((key) => changeOf(key, {}))).toEqual([undefined, undefined, undefined, undefined]);
  });
});
