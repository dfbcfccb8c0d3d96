import { answerOf, type components } from '@hopcount/client';
import type { UseQueryResult } from '@tanstack/react-query';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import type { Comparison, Interval, Question } from '../view/view.js';

/** Whose visits: of one short URL, or of all that whoever asks reaches. */
export interface Scope {
  tag?: string;
  group?: string;
  shortCode?: string;
  domain?: string;
}

export type Totals = components['schemas']['VisitsTotals'];
export type Series = components['schemas']['VisitsSeries'];
export type Matrix = components['schemas']['VisitsMatrix'];
/** What every answer says of itself. */
export type AnswerState = Pick<Totals, 'timeZone' | 'exact' | 'inexact' | 'countedUpTo' | 'pending' | 'uncounted'>;

/** Numbers grow while they are looked at. */
const REFRESH_MS = 30_000;
const options = { refetchInterval: REFRESH_MS };

/** As many as a matrix has at most: more than the routes of one link. */
const ROWS_OF_A_MATRIX = '100';

type Asked = Scope & Question;

export function useTotals(asked: Asked, compare: Comparison | undefined) {
  const query = { ...asked, ...(compare !== undefined && { compare }) };
  return useApi(
    ['statistics', 'totals', query],
    (signal) => answerOf(api.GET('/rest/v3/statistics/totals', { params: { query }, signal })),
    options,
  );
}

export function useSeries(asked: Asked, interval: Interval, compare: Comparison | undefined) {
  const query = { ...asked, interval, ...(compare !== undefined && { compare }) };
  return useApi(
    ['statistics', 'series', query],
    (signal) => answerOf(api.GET('/rest/v3/statistics/series', { params: { query }, signal })),
    options,
  );
}

/** A page of a statistic, with visitors and IPs where they are asked for. */
export interface PageAsked {
  itemsPerPage: number;
  page?: number;
  uniques?: 'all' | 'none';
  orderBy?: string;
}

function pageQuery({ itemsPerPage, page = 1, uniques = 'none', orderBy }: PageAsked) {
  return {
    ...{ itemsPerPage: String(itemsPerPage), page: String(page), uniques },
    ...(orderBy !== undefined && { orderBy }),
  };
}

export function useDimension(asked: Asked, name: string, page: PageAsked) {
  const query = { ...asked, ...pageQuery(page) };
  return useApi(
    ['statistics', 'dimension', name, query],
    (signal) =>
      answerOf(api.GET('/rest/v3/statistics/dimensions/{name}', { params: { query, path: { name } }, signal })),
    options,
  );
}

export function useVisitedLinks(asked: Asked, page: PageAsked) {
  const query = { ...asked, ...pageQuery(page) };
  return useApi(
    ['statistics', 'links', query],
    (signal) => answerOf(api.GET('/rest/v3/statistics/links', { params: { query }, signal })),
    options,
  );
}

export function useMatrix(asked: Asked, rows: 'weekday' | 'route', columns: 'hour' | 'class'): UseQueryResult<Matrix> {
  const query = { ...asked, rows, columns, rowLimit: ROWS_OF_A_MATRIX };
  return useApi(
    ['statistics', 'matrix', query],
    (signal) => answerOf(api.GET('/rest/v3/statistics/matrix', { params: { query }, signal })),
    options,
  );
}

/** Of requests that named no short URL. */
export function useOrphanDimension(question: Question, name: string, itemsPerPage: number) {
  const query = { ...question, orphans: 'true' as const, itemsPerPage: String(itemsPerPage) };
  return useApi(
    ['statistics', 'orphans', name, query],
    (signal) =>
      answerOf(api.GET('/rest/v3/statistics/dimensions/{name}', { params: { query, path: { name } }, signal })),
    options,
  );
}
