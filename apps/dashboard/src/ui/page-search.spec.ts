import { expect, it } from '@jest/globals';

import { lastPageBefore, parsePage } from './page-search.js';

it('reads the page of an address; the first needs no name', () => {
  expect(['2', '2.7', '1', '0', '-3', 'x', undefined].map((page) => parsePage({ page }))).toEqual([
    ...[{ page: 2 }, { page: 2 }, {}, {}, {}, {}, {}],
  ]);
});

it('leads from a page behind the last one to the last one', () => {
  const from = (currentPage: number, pagesCount: number) => lastPageBefore({ currentPage, pagesCount });
  expect([from(2, 1), from(9, 3)]).toEqual([1, 3]);
  expect([from(1, 1), from(3, 3), from(2, 3)]).toEqual([undefined, undefined, undefined]);
});
