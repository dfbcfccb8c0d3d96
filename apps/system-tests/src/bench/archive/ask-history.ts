import type { LinkStatistics } from '@hopcount/contracts';

import type { BenchStack } from '../bench-stack.js';
import { timeRequests } from '../time-requests.js';
import { DAY_MS, type History, type HistoryLink } from './history.js';

const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'];
const RANGES = [
  { name: '60 points, days', days: 60, interval: 'day' },
  { name: '58 points, weeks of 400 days', days: 400, interval: 'week' },
];

export interface Question {
  name: string;
  path: string;
  link: keyof History['links'];
}

/** Totals, points with visitors and IPs, nine dimensions of one link. */
export function questionsOf(history: History, zones: readonly string[] = ZONES): Question[] {
  const links = Object.entries(history.links) as [keyof History['links'], HistoryLink][];
  return links.flatMap(([link, { code, visits }]) =>
    RANGES.flatMap(({ name, days, interval }) =>
      zones.map((timeZone) => {
        const [startDate, endDate] = [history.to - days * DAY_MS, history.to].map((at) => new Date(at).toISOString());
        const query = new URLSearchParams({ startDate: startDate ?? '', endDate: endDate ?? '', interval, timeZone });
        return {
          name: `a link of ${visits.toLocaleString('en-US')} visits, ${name}, ${timeZone}`,
          path: `/rest/v3/short-urls/${code}/stats?${query.toString()}`,
          link,
        };
      }),
    ),
  );
}

export interface Asked {
  timesMs: number[];
  /** What the question was answered with; undefined: not within the client's 15 s. */
  answer: Pick<LinkStatistics, 'totals' | 'series'> | undefined;
}

/** One after the other; once warmed up, unless told. */
export async function ask(bench: BenchStack, apiUrl: string, question: Question, requests: number): Promise<Asked> {
  const api = { stack: { file: { apiUrl, apiKey: bench.stack.file.apiKey } } };
  let answer: Asked['answer'];
  const look = (body: string) => {
    const { totals, series } = JSON.parse(body) as LinkStatistics;
    answer = { totals, series };
  };
  try {
    await timeRequests(api, 1, question.path, look);
    return { timesMs: await timeRequests(api, requests, question.path), answer };
  } catch (error) {
    bench.say(`  ${question.name}: ${(error as Error).message.slice(0, 200)}`);
    return { timesMs: [Number.POSITIVE_INFINITY], answer };
  }
}
