import { z } from 'zod';

import { queryFlag, queryItemsPerPage, queryText } from '../http/input.js';
import { pageSize } from '../http/page.js';
import { invalid, PLACE } from './places.js';

export const USUAL_PAGE = 50;
export const MAX_ROWS_PER_PAGE = 200;
export const MAX_LETTERS_PER_PAGE = 100;

const after = queryText.meta({ description: '`next` of the page before.' });
const itemsPerPage = (atMost: number) =>
  queryItemsPerPage.meta({ description: `Default ${USUAL_PAGE}; at most ${atMost}.` });

export const listLettersQuery = z.strictObject({ after, itemsPerPage: itemsPerPage(MAX_LETTERS_PER_PAGE) });
export const listFilesQuery = z.strictObject({ after, itemsPerPage: itemsPerPage(MAX_ROWS_PER_PAGE) });
export const listMinutesQuery = listFilesQuery.extend({
  all: queryFlag.meta({ description: 'Also those that are equal; else only what somebody may have to look at.' }),
});

export const redriveRequest = z.strictObject({
  places: z
    .array(z.string().regex(PLACE))
    .min(1)
    .max(MAX_LETTERS_PER_PAGE)
    .meta({ description: 'partition@offset, as the list has them.', examples: [['1@42']] }),
});

export function limitOf(itemsPerPage: number | undefined, atMost: number): number {
  const size = pageSize(itemsPerPage, USUAL_PAGE, atMost);
  return size === 'all' ? atMost : size;
}

/** An instant and a name, behind which a list goes on. */
export function toRowCursor(at: Date | number, name: string): string {
  return `${Number(at)}.${Buffer.from(name).toString('base64url')}`;
}

/** @throws AppError `invalid-data` */
export function fromRowCursor(text: string): { at: number; name: string } {
  const [, at, encoded] = /^([0-9]{1,15})\.([\w-]{1,400})$/.exec(text) ?? [];
  const name = Buffer.from(encoded ?? '', 'base64url').toString();
  if (at === undefined || name.includes('\0') || Number(at) > MAX_INSTANT)
    throw invalid('after', 'It is no `next` of a page.');
  return { at: Number(at), name };
}

const MAX_INSTANT = 8.64e15 - 1;
