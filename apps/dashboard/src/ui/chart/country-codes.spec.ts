import { describe, expect, it } from '@jest/globals';

import { unwrapRing } from './unwrap-ring.js';
import { codeOfNumber } from './country-codes.js';

describe('a country by its number', () => {
  it.each([
    ['276', 'DE'],
    ['004', 'AF'],
    [8, 'AL'],
    ['728', 'SS'],
    ['156', 'CN'],
    ['419', undefined],
    [undefined, undefined],
    ['-99', undefined],
  ])('%s is %s', (number, code) => expect(codeOfNumber(number)).toBe(code));
});

describe('a ring', () => {
  it('that crosses the 180th meridian goes on beyond it', () => {
    expect(
      unwrapRing([
        ...[
          [170, 60],
          [180, 61],
          [-175, 62],
          [-180, 65],
          [170, 60],
        ],
      ]),
    ).toEqual([
      ...[
        [170, 60],
        [180, 61],
        [185, 62],
        [180, 65],
        [170, 60],
      ],
    ]);
  });

  it('of elsewhere is left as it is', () => {
    const ring = [
      [-10, 50],
      [10, 50],
      [0, 60],
      [-10, 50],
    ];
    expect(unwrapRing(ring)).toEqual(ring);
  });
});
