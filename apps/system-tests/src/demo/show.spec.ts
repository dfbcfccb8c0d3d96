import { describe, expect, it } from '@jest/globals';

import { bar } from './show.js';

describe('bar', () => {
  it('is full for the most, and never empty for something', () => {
    expect(bar(10, 10)).toBe('█'.repeat(24));
    expect(bar(5, 10)).toBe('█'.repeat(12));
    expect(bar(1, 100_000)).toBe('▏');
    expect(bar(0, 0)).toBe('');
  });

  it('grows by eighths of a cell', () => {
    expect(bar(1, 192)).toBe('▏');
    expect(bar(7, 192)).toBe('▉');
    expect(bar(9, 192)).toBe('█▏');
  });
});
