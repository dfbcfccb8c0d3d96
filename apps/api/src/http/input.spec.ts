import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { inclusiveRange } from './date-range.js';
import { formatDate } from './dates.js';
import { normalizeQuery, parseInput, parseQuery, queryList, queryText } from './input.js';
import { pageSize, pageWindow, toPage } from './page.js';
import { RouteTable } from './route-table.js';

describe('a query', () => {
  it('has arrays however they are written, and the last of repeated values', () => {
    expect(normalizeQuery({ 'tags[]': 'a', page: ['1', '2'], 'x[0]': 'b', 'x[1]': 'c' })).toEqual({
      tags: ['a'],
      page: '2',
      x: ['b', 'c'],
    });
    expect(normalizeQuery({ 'tags[]': ['a', 'b'], tags: 'ignored?' })).toHaveProperty('tags');
    expect(normalizeQuery(undefined)).toEqual({});
    expect(queryList.parse('a')).toEqual(['a']);
    expect(queryList.parse(undefined)).toEqual([]);
  });

  it('cannot reach into prototypes', () => {
    const query = normalizeQuery(JSON.parse('{"__proto__[]":"x","constructor":"y"}'));
    expect(Object.getPrototypeOf(query)).toBeNull();
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor']);
  });

  it.each([['\u0000'], ['a\u0000b'], ['a\ud800'], ['\udc00a']])('is refused with %j in a text or a list', (broken) => {
    const schema = z.object({ text: queryText, list: queryList });
    const refused = (names: string[]) =>
      expect.objectContaining({ code: 'invalid-data', details: expect.objectContaining({ invalidElements: names }) });
    expect(() => parseQuery(schema, { text: broken })).toThrow(refused(['text']));
    expect(() => parseQuery(schema, { list: broken })).toThrow(refused(['list']));
    expect(() => parseQuery(schema, { 'list[]': ['fine', broken], text: broken })).toThrow(refused(['text', 'list']));
    expect(parseQuery(schema, { 'list[]': ['\u{1f600}', '\u0001'], text: '\u{1f600}' })).toEqual({
      list: ['\u{1f600}', '\u0001'],
      text: '\u{1f600}',
    });
  });

  it('is refused with the names of all wrong fields', () => {
    const schema = z.object({ a: z.string(), b: z.number(), c: z.string() });
    expect(() => parseInput(schema, { a: 1, b: 'x', c: 'fine' })).toThrow(
      expect.objectContaining({
        code: 'invalid-data',
        details: {
          invalidElements: ['a', 'b'],
          reasons: [
            { field: 'a', reason: 'Invalid input: expected string, received number' },
            { field: 'b', reason: 'Invalid input: expected number, received string' },
          ],
        },
      }),
    );
  });
});

describe('a page', () => {
  it.each([
    [undefined, 10 as const, 10],
    [3, 10 as const, 3],
    [0, 10 as const, 'all'],
    [-1, 10 as const, 'all'],
    [99_999, 10 as const, 5_000],
    [undefined, 'all' as const, 'all'],
  ])('of %p with default %p has size %p', (asked, fallback, size) => {
    expect(pageSize(asked, fallback)).toBe(size);
  });

  it('says how many there are', () => {
    const page = (size: number | 'all', totalItems: number) => toPage([], { page: 1, size, totalItems }).pagination;
    expect(page(10, 0)).toMatchObject({ pagesCount: 1, itemsPerPage: 10 });
    expect(page(10, 21)).toMatchObject({ pagesCount: 3 });
    expect(page('all', 0)).toMatchObject({ pagesCount: 1, itemsPerPage: 1 });
    expect(page('all', 7)).toMatchObject({ pagesCount: 1, itemsPerPage: 7 });
    expect(page('all', 12_000)).toMatchObject({ pagesCount: 3, itemsPerPage: 5_000 });
    expect(pageWindow({ page: 3, size: 'all' })).toEqual({ offset: 10_000, limit: 5_000 });
    expect(page(10, 21)).not.toHaveProperty('totalItemsIsLowerBound');
    const cut = toPage([], { page: 1, size: 10, totalItems: 21, isLowerBound: true });
    expect(cut.pagination).toMatchObject({ pagesCount: 3, totalItems: 21, totalItemsIsLowerBound: true });
  });
});

describe('a range of a list', () => {
  const range = (startDate: string | null, endDate: string | null) =>
    inclusiveRange({ range: undefined, startDate, endDate, timeZone: undefined }, 'Europe/Berlin');

  it('includes the second or the day it ends with', () => {
    expect(range(null, null)).toEqual({ from: undefined, to: undefined });
    expect(range('2026-11-21T10:00:00+00:00', '2026-11-21T10:00:00+00:00')).toEqual({
      from: Date.UTC(2026, 10, 21, 10),
      to: Date.UTC(2026, 10, 21, 10, 0, 1),
    });
    expect(range('2026-11-21', '2026-11-21')).toEqual({
      from: Date.UTC(2026, 10, 20, 23),
      to: Date.UTC(2026, 10, 21, 23),
    });
  });

  it('is written in whole seconds of UTC', () => {
    expect(formatDate(new Date(1_763_722_800_999))).toBe('2025-11-21T11:00:00+00:00');
  });
});

describe('the route table', () => {
  it('knows the methods of an address', () => {
    const routes = new RouteTable();
    routes.add('/a/:id', 'GET');
    routes.add('/a/:id', ['PUT', 'DELETE']);
    routes.add('/a.json', 'GET');
    expect(routes.methodsOf('/a/x%2Fy?z=1')).toEqual(['DELETE', 'GET', 'PUT']);
    expect(routes.methodsOf('/a/x/y')).toEqual([]);
    expect(routes.methodsOf('/axjson')).toEqual([]);
    expect(routes.all()).toHaveLength(4);
  });
});
