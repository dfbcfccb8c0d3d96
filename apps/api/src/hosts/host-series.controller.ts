import { Controller, Param, Query } from '@nestjs/common';
import {
  type HostComparison,
  hostComparisonSchema,
  type HostSeriesAnswer,
  hostSeriesSchema,
  type ProblemCode,
  STATISTICS_GROUP,
  VISITS_TOPIC,
} from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import { AppError, type Reach } from '@hopcount/runtime';
import { formatStarts, HostSeries, parseRange, parseTimeZone, seriesStarts } from '@hopcount/statistics';
import type { z } from 'zod';

import { expectNoRange } from '../http/date-range.js';
import { Operation } from '../http/operation.js';
import { Reached } from '../http/reached.js';
import { Settings } from '../settings.js';
import { VisitLogEnds } from '../statistics/log-ends.js';
import { VisitsQuestions } from '../statistics/visits-statistics/visits-questions.js';
import { compareHostsQuery, hostSeriesQuery, kindOf, nameOf } from './hosts.query.js';

const EXACT =
  'Exact at every instant and in every zone: quarters of an hour are summed; what the ledger has dropped is counted over the visits of the ' +
  'archive. Counts of kind `fed` are kept by quarters alone.';
export const SERIES_PROBLEMS: readonly ProblemCode[] = [
  'beyond-role',
  'invalid-range',
  'invalid-time-zone',
  'question-too-expensive',
  'too-many-questions',
  'answer-takes-too-long',
  'archive-question-too-large',
  'archive-unreadable',
];

const MINUTE_MS = 60_000;

type SeriesQuery = z.output<typeof hostSeriesQuery>;

/** Visits by host over time: of all short URLs, so only for who reaches all of them. */
@Controller()
export class HostSeriesController {
  constructor(
    private readonly series: HostSeries,
    private readonly logEnds: VisitLogEnds,
    private readonly questions: VisitsQuestions,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/hosts/:kind/compare', {
    id: 'compareHosts',
    scope: 'statistics:read',
    summary: 'Compare the visits of up to ten hosts',
    description: EXACT,
    tag: 'Hosts',
    query: compareHostsQuery,
    answer: hostComparisonSchema,
    problems: SERIES_PROBLEMS,
  })
  async compare(
    @Reached() reach: Reach,
    @Param('kind') kindGiven: string,
    @Query() { names: given, ...query }: z.output<typeof compareHostsQuery>,
  ): Promise<HostComparison> {
    const names = [...new Set(given.map((name) => nameOf(name, 'names')))];
    const { hosts, ...answer } = await this.#read(reach, kindGiven, names, query, true);
    return { ...answer, hosts: hosts.map(({ window, ...host }) => ({ ...host, window: window ?? 0 })) };
  }

  @Operation('GET /rest/v3/hosts/:kind/:host/series', {
    id: 'getHostSeries',
    scope: 'statistics:read',
    summary:
      'Visits of a host, or of the hosts below it, by quarter of an hour, hour, day, week, month, quarter or year',
    description: `${EXACT} Of a sliding window of any length, too: \`windowMinutes\`.`,
    tag: 'Hosts',
    query: hostSeriesQuery,
    answer: hostSeriesSchema,
    problems: SERIES_PROBLEMS,
  })
  async one(
    @Reached() reach: Reach,
    @Param('kind') kindGiven: string,
    @Param('host') hostGiven: string,
    @Query() query: SeriesQuery,
  ): Promise<HostSeriesAnswer> {
    const { hosts, ...answer } = await this.#read(reach, kindGiven, [nameOf(hostGiven, 'host')], query, false);
    const { host, totals, allTime, series } = hosts[0]!;
    return { ...answer, host, totals, allTime, series };
  }

  async #read(
    reach: Reach,
    kindGiven: string,
    names: readonly string[],
    { scope, windowMinutes, ...query }: SeriesQuery,
    withWindows: boolean,
  ) {
    reach.expectWhole('see the hosts of all short URLs');
    const kind = kindOf(kindGiven);
    const timeZone = parseTimeZone(query.timeZone ?? this.settings.reportingTimeZone);
    const now = Date.now();
    const dates = windowMinutes === undefined ? query : windowOf(query, windowMinutes, { kind, now });
    const range = parseRange({ ...dates, timeZone }, now);
    const starts = seriesStarts(range, range.interval, timeZone);
    // Before the snapshot: what was published by then is either counted in it or pending.
    const known = await this.logEnds.read();
    const checkpointsOf = { group: STATISTICS_GROUP, topic: VISITS_TOPIC };
    const { from, to, interval } = range;
    const asked = { ...{ kind, names, scope, from, to, starts, checkpointsOf, withWindows }, keyId: reach.keyId };
    const answered = await this.series.read(asked);
    const said = this.questions.describe({ range, known }, answered);
    const { startDate, endDate, exact, inexact, readFrom, countedUpTo, pending, uncounted } = said;
    const startNames = formatStarts(starts, timeZone);
    return {
      ...{ timeZone, startDate, endDate, exact, inexact, readFrom, countedUpTo, pending, uncounted },
      // They come from elsewhere.
      ...(kind === 'fed' && { countedUpTo: null, pending: null, uncounted: 0 }),
      ...{ kind, scope, interval },
      hosts: answered.hosts.map(({ name, points, totals, allTime, window }) => ({
        ...{ host: asciiOf(name), totals, allTime, window },
        series: startNames.map((start, nth) => ({ start, visits: points[nth] ?? 0 })),
      })),
    };
  }
}

/** @throws AppError `invalid-data`: a range is named as well, or counts are kept by quarters alone */
function windowOf(
  query: Omit<SeriesQuery, 'scope' | 'windowMinutes'>,
  minutes: number,
  { kind, now }: { kind: ReturnType<typeof kindOf>; now: number },
) {
  expectNoRange(query);
  if (kind === 'fed') {
    throw new AppError('invalid-data', 'Fed counts are kept by quarters of an hour: ask for a range instead.', {
      details: { invalidElements: ['windowMinutes'] },
    });
  }
  const [startDate, endDate] = [now - minutes * MINUTE_MS, now].map((at) => new Date(at).toISOString());
  return { ...query, startDate, endDate };
}
