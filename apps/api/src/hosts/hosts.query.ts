import { HOST_KINDS, HOST_ORDERS, HOST_SCOPES, type HostKind, INTERVALS } from '@hopcount/contracts';
import { parseHostName } from '@hopcount/hosts';
import type { AlertPosition, HostPosition } from '@hopcount/statistics';
import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

import { queryTimeZone, statisticsDates } from '../http/date-range.js';
import { queryBom, queryItemsPerPage, queryText, queryWholeNumber } from '../http/input.js';

export const USUAL_PAGE = 50;
export const MAX_HOSTS_PER_PAGE = 500;

export const hostQuery = z.strictObject({
  scope: z.enum(HOST_SCOPES).default('subtree').meta({
    description:
      '`self`: the name alone; `below`: `*.name`, at any depth; `children`: one label below; `subtree`: the name and all below it.',
  }),
  ...statisticsDates,
  interval: z.enum(INTERVALS).default('day'),
});

/** A year. */
const WINDOW_MINUTES_AT_MOST = 525_600;

export const hostSeriesQuery = hostQuery.extend({
  windowMinutes: queryWholeNumber(1, WINDOW_MINUTES_AT_MOST).meta({
    description: `A sliding window instead of range, startDate and endDate: so many minutes, 1 to ${WINDOW_MINUTES_AT_MOST}, up to the moment of the request. \`fed\` counts have none.`,
    example: '5',
  }),
});

export const showHostQuery = hostQuery.extend({
  period: z.enum(['range', 'allTime']).default('range').meta({
    description:
      '`allTime`: all visits ever counted, without a series (`startDate` is 1970, `totals` those of this data centre); answered from memory, a second or so behind (`asOf`). Of a range nothing is said then.',
  }),
});

/** Names that one question compares. */
const NAMES_AT_MOST = 10;
export const compareHostsQuery = hostQuery.extend({
  names: z
    .string()
    .max(4_000)
    .transform((text) => [
      ...new Set(
        text
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      ),
    ])
    .pipe(z.array(z.string()).min(1).max(NAMES_AT_MOST))
    .meta({ description: `Up to ${NAMES_AT_MOST}, with commas between them.`, example: 'example.com,example.org' }),
});

export const reportHostsQuery = z.strictObject({
  month: z.string().max(100).meta({ description: 'Of the zone.', example: '2026-11' }),
  kind: z.enum(HOST_KINDS).optional().meta({ description: 'Default: all.' }),
  timeZone: queryTimeZone,
  bom: queryBom,
});

export const listHostsQuery = z.strictObject({
  below: queryText.meta({ description: 'A name; default: the top-level domains.', example: 'example.com' }),
  by: z.enum(['label', 'site']).default('label').meta({
    description:
      '`site`: public suffix and one label (`example.co.uk`, `ann.github.io`) instead of what is one label below; the first page alone, by visits of all time.',
  }),
  orderBy: z.enum(HOST_ORDERS).default('visits').meta({
    description:
      '`visits`: of all time; `window`: of the last five minutes, and only hosts that have any; `excess`: those of the last five minutes beyond the usual ones, of the 1,000 names with the most.',
  }),
  after: queryText.meta({ description: '`next` of the page before.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: `Default ${USUAL_PAGE}; at most ${MAX_HOSTS_PER_PAGE}.` }),
});

export const listAlertsQuery = listHostsQuery.omit({ below: true, orderBy: true, by: true });

/** @throws AppError `invalid-data` */
export function kindOf(given: string): HostKind {
  const kind = HOST_KINDS.find((candidate) => candidate === given);
  if (kind === undefined) throw invalid('kind', `There is no such kind; there are ${HOST_KINDS.join(', ')}.`);
  return kind;
}

/** As it is counted. @throws AppError `invalid-data` */
export function nameOf(given: string, field: string): string {
  const host = parseHostName(given);
  if ('refused' in host) throw invalid(field, `It names no host: ${host.refused}.`);
  return host.name;
}

export function notOfSites(): AppError {
  return invalid('by', 'A list of sites is of all names, by visits of all time: leave out below, after and orderBy.');
}

/** With the name as it is kept: of a referrer it may be one that nobody can ask for (`http://a..b/`). */
export function toCursor({ sum, name }: HostPosition): string {
  return `${sum}.${Buffer.from(name).toString('base64url')}`;
}

/** @throws AppError `invalid-data` */
export function fromCursor(given: string): HostPosition {
  const [, sum, encoded] = /^(-?\d{1,16})\.([\w-]*)$/.exec(given) ?? [];
  const name = Buffer.from(encoded ?? '', 'base64url').toString();
  if (sum === undefined || name.includes('\0')) throw invalid('after', 'It is no `next` of a page.');
  return { sum: Number(sum), name };
}

export function toAlertCursor({ isOpen, id }: AlertPosition): string {
  return `${isOpen ? 'open' : 'closed'}.${id}`;
}

/** @throws AppError `invalid-data` */
export function fromAlertCursor(given: string): AlertPosition {
  const [, state, id] = /^(open|closed)\.(\d{1,18})$/.exec(given) ?? [];
  if (id === undefined) throw invalid('after', 'It is no `next` of a page.');
  return { isOpen: state === 'open', id };
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
