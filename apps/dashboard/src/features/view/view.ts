import type { operations } from '@hopcount/client';

/** As the api has them. */
export type Range = NonNullable<NonNullable<operations['getVisitsTotals']['parameters']['query']>['range']>;
/** Days that each has at most. */
const RANGE_DAYS: Record<Range, number> = {
  ...{ today: 1, yesterday: 1, last7days: 7, last30days: 30, last90days: 90, last365days: 365 },
  ...{ thisWeek: 7, lastWeek: 7, thisMonth: 31, lastMonth: 31, thisYear: 366, lastYear: 366 },
  ...{ weekToDate: 7, monthToDate: 31, yearToDate: 366 },
};
export const RANGES = Object.keys(RANGE_DAYS) as Range[];
export const COMPARISONS = ['previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];
export const DEFAULT_RANGE: Range = 'last7days';
export type Interval = '15min' | 'hour' | 'day' | 'week' | 'month';

/** What is looked at, as it stands in the address; what is not there is as usual. */
export interface ViewSearch {
  range?: Range | undefined;
  /** First and last day, instead of `range`. */
  from?: string | undefined;
  to?: string | undefined;
  /** IANA name; absent: that of the browser. */
  zone?: string | undefined;
  compare?: Comparison | undefined;
  /** As the api takes them: `country=DE`. */
  filter?: string[] | undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MAX_FILTERS = 50;

/** Addresses are written by anybody: what is not understood is left out. */
export function parseView(search: Record<string, unknown>): ViewSearch {
  const { range, from, to, zone, compare } = search;
  const filter = [search['filter'] ?? []]
    .flat()
    .filter((one) => typeof one === 'string' && parseFilter(one) !== undefined);
  const hasDates = isDate(from) && isDate(to) && from <= to;
  return {
    ...(hasDates ? { from, to } : isOneOf(RANGES, range) && { range }),
    ...(isTimeZone(zone) && { zone }),
    ...(isOneOf(COMPARISONS, compare) && { compare }),
    ...(filter.length > 0 && { filter: [...new Set(filter as string[])].slice(0, MAX_FILTERS) }),
  };
}

/** Which page of a list was looked at means nothing in another list: a number of few pages, a cursor of another time. */
export function changeView(search: Record<string, unknown>, changed: Partial<ViewSearch>): Record<string, unknown> {
  return { ...search, page: undefined, explainBefore: undefined, ...changed };
}

export interface Filter {
  dimension: string;
  isExcluded: boolean;
  /** The value is how it begins: of addresses. */
  isPrefix?: boolean;
  value: string;
}

export function parseFilter(text: string): Filter | undefined {
  const [, dimension, not, prefix, value] = /^([a-zA-Z]+)(!?)(\^?)=([^]*)$/.exec(text) ?? [];
  if (dimension === undefined || value === undefined) return undefined;
  return { dimension, isExcluded: not === '!', isPrefix: prefix === '^', value };
}

export function formatFilter({ dimension, isExcluded, isPrefix = false, value }: Filter): string {
  return `${dimension}${isExcluded ? '!' : ''}${isPrefix ? '^' : ''}=${value}`;
}

export function toggleFilter(filters: readonly string[], wanted: string): string[] {
  return filters.includes(wanted) ? filters.filter((one) => one !== wanted) : [...filters, wanted];
}

/** A word, or the first and the last day. */
export interface Dates {
  range?: Range;
  startDate?: string;
  endDate?: string;
  timeZone: string;
}

export interface Question extends Dates {
  'filter[]'?: string[];
}

export function toQuestion(view: ViewSearch, browserZone: string): Question {
  const { zone, filter } = view;
  const timeZone = zone ?? browserZone;
  return {
    ...datesOf(view),
    timeZone,
    ...(filter !== undefined && { 'filter[]': filter }),
  };
}

/** For what is asked about all visits. */
export function withoutFilters(question: Question): Dates {
  const asked = { ...question };
  delete asked['filter[]'];
  return asked;
}

function datesOf({ range = DEFAULT_RANGE, from, to }: ViewSearch) {
  return from !== undefined && to !== undefined ? { startDate: from, endDate: to } : { range };
}

/** Points of a curve: enough to see its shape, not more than can be told apart. */
export function intervalOf(view: ViewSearch): Interval {
  const days = daysOf(view);
  if (days <= 2) return 'hour';
  if (days <= 92) return 'day';
  return days <= 400 ? 'week' : 'month';
}

function daysOf({ range, from, to }: ViewSearch): number {
  if (from === undefined || to === undefined) return RANGE_DAYS[range ?? DEFAULT_RANGE];
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

function isDate(value: unknown): value is string {
  return typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));
}

function isTimeZone(value: unknown): value is string {
  if (typeof value !== 'string' || value === '') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    // Intl throws for a name that is no zone.
    return false;
  }
}

function isOneOf<Known extends string>(known: readonly Known[], value: unknown): value is Known {
  return (known as readonly unknown[]).includes(value);
}
