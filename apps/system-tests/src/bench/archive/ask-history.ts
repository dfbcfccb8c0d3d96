import type { BenchStack } from '../bench-stack.js';
import { timeRequests } from '../time-requests.js';
import { DAY_MS, type History, type HistoryLink } from './history.js';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'];
const RANGES = [
  { name: '60 points, days', days: 60, interval: 'day' },
  { name: '58 points, weeks of 400 days', days: 400, interval: 'week' },
];

/** Milliseconds, of p95. */
const LINK_TARGETS: Partial<Record<keyof History['links'], number>> = { middle: 100, large: 300 };
/** Milliseconds, of p95. */
const ALL_LINKS_AT_MOST_MS = 300;
const WEEKS = 'interval=week';
const THREE_FILTERS = 'filter[]=os=Windows&filter[]=os=iOS&filter[]=browser!=Opera&filter[]=device=desktop';

export interface Question {
  name: string;
  path: string;
  atMostMs?: number | undefined;
}

/** Of all links: what sums know, what one pass over the files does, and exact visitors. */
export function questionsOfAll({ from, to }: Pick<History, 'from' | 'to'>): Question[] {
  const range = `startDate=${new Date(from).toISOString()}&endDate=${new Date(to).toISOString()}`;
  const of = (name: string, path: string): Question => ({
    name: `all links, ${name}`,
    path: `/rest/v3/statistics/${path}&${range}`,
    atMostMs: ALL_LINKS_AT_MOST_MS,
  });
  return [
    of('totals', 'totals?uniques=none'),
    of('weeks', `series?uniques=none&${WEEKS}`),
    of('by country', 'dimensions/country?uniques=none'),
    of('by country, three filters', `dimensions/country?uniques=none&${THREE_FILTERS}`),
    of('weeks, three filters', `series?uniques=none&${WEEKS}&${THREE_FILTERS}`),
    of('totals with visitors, three filters', `totals?uniques=visitors&${THREE_FILTERS}`),
    of('totals with exact visitors and IPs', 'totals?uniques=all'),
    of('weeks with exact visitors and IPs', `series?uniques=all&${WEEKS}`),
    of('by country with exact visitors and IPs', 'dimensions/country?uniques=all'),
    of('most visited links', 'links?itemsPerPage=100'),
  ];
}

/** Totals, points with visitors and IPs, nine dimensions of one link. */
export function questionsOf(history: History, zones: readonly string[] = ZONES): Question[] {
  const links = Object.entries(history.links) as [keyof History['links'], HistoryLink][];
  return links.flatMap(([link, { code, visits }]) => {
    const of = (name: string, query: Record<string, string>): Question => ({
      name: `a link of ${visits.toLocaleString('en-US')} visits, ${name}`,
      path: `/rest/v3/short-urls/${code}/stats?${new URLSearchParams(query).toString()}`,
      atMostMs: LINK_TARGETS[link],
    });
    const ranges = RANGES.flatMap(({ name, days, interval }) =>
      zones.map((timeZone) => {
        const [startDate = '', endDate = ''] = [history.to - days * DAY_MS, history.to].map((at) =>
          new Date(at).toISOString(),
        );
        return of(`${name}, ${timeZone}`, { startDate, endDate, interval, timeZone });
      }),
    );
    return [...ranges, of('all time, months', { period: 'allTime', interval: 'month', timeZone: 'UTC' })];
  });
}

export interface Asked {
  timesMs: number[];
  /** What the question was answered with; undefined: not within the client's 15 s. */
  answer: Record<string, unknown> | undefined;
}

/** One after the other; once warmed up, unless told. */
export async function ask(bench: BenchStack, apiUrl: string, question: Question, requests: number): Promise<Asked> {
  const api = { stack: { file: { apiUrl, apiKey: bench.stack.file.apiKey } } };
  let answer: Asked['answer'];
  const look = (body: string) => {
    const { totals, series, values, links } = JSON.parse(body) as Record<string, unknown>;
    answer = { totals, series, values, links };
  };
  try {
    await timeRequests(api, 1, question.path, look);
    return { timesMs: await timeRequests(api, requests, question.path), answer };
  } catch (error) {
    bench.say(`  ${question.name}: ${(error as Error).message.slice(0, 200)}`);
    return { timesMs: [Number.POSITIVE_INFINITY], answer };
  }
}
