import type { ViewSearch } from './view.js';

type Change = Pick<ViewSearch, 'range' | 'compare'>;

/** As Plausible has them. */
export const RANGE_KEYS = {
  today: 'd',
  yesterday: 'e',
  last7days: 'w',
  last30days: 't',
  monthToDate: 'm',
  lastMonth: 'l',
  yearToDate: 'y',
} as const satisfies Partial<Record<NonNullable<ViewSearch['range']>, string>>;
const COMPARE_KEY = 'x';

const RANGES_BY_KEY = new Map<string, ViewSearch['range']>(
  Object.entries(RANGE_KEYS).map(([range, key]) => [key, range as ViewSearch['range']]),
);

/** What a key that was pressed on a page changes of its view; undefined: nothing. */
export function changeOf(key: string, view: ViewSearch): (Change & Pick<ViewSearch, 'from' | 'to'>) | undefined {
  if (key === COMPARE_KEY) return { compare: view.compare === undefined ? 'previous' : undefined };
  const range = RANGES_BY_KEY.get(key);
  return range === undefined ? undefined : { range, from: undefined, to: undefined };
}
