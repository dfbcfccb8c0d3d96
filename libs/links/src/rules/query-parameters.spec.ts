import { describe, expect, it } from '@jest/globals';

import { queryParameters } from './query-parameters.js';

describe('the parameters of a query', () => {
  it.each([
    ['', {}],
    ['a=1&b&a=2&c=', { a: ['1', '2'], b: [''], c: [''] }],
    ['a+b=c+d&%C3%BC=%C3%9F', { 'a b': ['c d'], ü: ['ß'] }],
    ['a=x=y', { a: ['x=y'] }],
    ['a=100%&b=%zz+1', { a: ['100%'], b: ['%zz 1'] }],
  ])('of %j are what servers read', (query, expected) => {
    expect(Object.fromEntries(queryParameters(query))).toEqual(expected);
  });

  it('are the first hundred', () => {
    const query = Array.from({ length: 10_000 }, (_, number) => `p${number}=1`).join('&');
    expect([...queryParameters(query).keys()].slice(-2)).toEqual(['p98', 'p99']);
    expect(queryParameters(query).size).toBe(100);
  });
});
