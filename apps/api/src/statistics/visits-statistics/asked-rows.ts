import { FIRST_SEEN, ORPHAN_DIMENSIONS, VISIT_DIMENSIONS } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';
import { comparedRange } from '@hopcount/statistics';

import { pageSize } from '../../http/page.js';
import { formatOf, ROWS_AT_MOST, type StatisticsFormat } from '../statistics-answer.js';
import type { AskedQuestion } from './visits-questions.js';
import type { DimensionQuery, TotalsQuery } from './visits-statistics.query.js';

const VALUES_PER_PAGE = 100;
const MAX_VALUES_PER_PAGE = 1_000;

/** Of visits or of orphan visits. @throws AppError `invalid-data` */
export function dimensionOf(name: string, { orphans, uniques }: Pick<DimensionQuery, 'orphans' | 'uniques'>) {
  const dimensions = orphans ? ORPHAN_DIMENSIONS : ([...VISIT_DIMENSIONS, FIRST_SEEN] as const);
  const dimension = dimensions.find((candidate) => candidate === name);
  if (dimension === undefined) {
    throw invalid('name', `There is no such dimension; there are ${dimensions.join(', ')}.`);
  }
  if (dimension === FIRST_SEEN && uniques !== 'none') {
    throw invalid('uniques', `${FIRST_SEEN} counts visits only: new ones are as many as visitors.`);
  }
  return dimension;
}

/** Rows have no place for a second range. */
export function rowFormatOf(
  { format: named, compare }: Pick<TotalsQuery, 'format' | 'compare'>,
  accept: string | undefined,
) {
  const format = formatOf(named, accept);
  if (format !== 'json' && compare !== undefined) throw invalid('compare', 'Only JSON compares.');
  return format;
}

/** What an answer is compared with, in the same zone and interval. */
export function rangeBefore(range: AskedQuestion['range'], compare: NonNullable<TotalsQuery['compare']>) {
  return { ...range, ...comparedRange(range, range.timeZone, compare) };
}

/** Of a file without visitors all rows, as far as one answer holds them: each is a few bytes. */
export function pageOf(
  { page, itemsPerPage, uniques }: Pick<DimensionQuery, 'page' | 'itemsPerPage' | 'uniques'>,
  format: StatisticsFormat,
) {
  const isLong = format !== 'json' && uniques === 'none';
  const atMost = isLong ? ROWS_AT_MOST : MAX_VALUES_PER_PAGE;
  return { page, size: pageSize(itemsPerPage, isLong ? 'all' : VALUES_PER_PAGE, atMost), atMost };
}

function invalid(element: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [element] } });
}

/** What the rows of a page leave out. */
export function otherThan(rows: readonly { visits: number }[], all: { values: number; visits: number }) {
  const shown = rows.reduce((sum, { visits }) => sum + visits, 0);
  return { values: all.values - rows.length, visits: all.visits - shown };
}
