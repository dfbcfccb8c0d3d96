import { Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { type GroupedBy, ParquetFiles, type ValuePage } from '@hopcount/archive';
import {
  FIRST_SEEN,
  VISIT_CLASSES,
  VISIT_DIMENSIONS,
  type VisitedLinksAnswer,
  visitedLinksSchema,
  type VisitsDimensionAnswer,
  visitsDimensionSchema,
  type VisitsSeriesAnswer,
  visitsSeriesSchema,
  type VisitsTotalsAnswer,
  visitsTotalsSchema,
} from '@hopcount/contracts';
import { LinkDirectory } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { formatStarts, seriesStarts, VisitsStatisticsReader } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';

import { clientGone } from '../../http/client-gone.js';
import { Operation } from '../../http/operation.js';
import { pageWindow, toPage } from '../../http/page.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { countColumns, EXACT, formatOf, PROBLEMS, ROW_TYPES, sendAnswer, sendRows } from '../statistics-answer.js';
import { dimensionOf, otherThan, pageOf, rangeBefore, rowFormatOf } from './asked-rows.js';
import { type AskedQuestion, VisitsQuestions } from './visits-questions.js';
import {
  type DimensionQuery,
  dimensionQuery,
  type SeriesQuery,
  seriesQuery,
  type TotalsQuery,
  totalsQuery,
  type VisitedLinksQuery,
  visitedLinksQuery,
} from './visits-statistics.query.js';
import { DIMENSION_EXAMPLES, LINKS_EXAMPLES, SERIES_EXAMPLES, TOTALS_EXAMPLES } from './visits-statistics.examples.js';

@Controller()
export class VisitsStatisticsController {
  constructor(
    private readonly questions: VisitsQuestions,
    private readonly reader: VisitsStatisticsReader,
    private readonly directory: LinkDirectory,
    private readonly settings: Settings,
    private readonly parquet: ParquetFiles,
  ) {}

  @Operation('GET /rest/v3/statistics/totals', {
    id: 'getVisitsTotals',
    scope: 'statistics:read',
    takesShareLink: true,
    summary: 'Visits, visitors and IPs of all short URLs, a domain, a group, a tag or one short URL',
    description: EXACT,
    tag: 'Statistics',
    query: totalsQuery,
    answer: visitsTotalsSchema,
    contentType: ROW_TYPES,
    examples: TOTALS_EXAMPLES,
    problems: PROBLEMS,
  })
  async totals(
    @Reached() reach: Reach,
    @Query() query: TotalsQuery,
    @Headers('if-none-match') known: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const format = rowFormatOf(query, accept);
    const asked = await this.questions.understand(reach, query, clientGone(reply));
    const { totals, ...state } = await this.reader.totals(asked.query);
    if (format !== 'json') {
      const { byClass, ...counts } = totals;
      const columns = [...countColumns(asked.query.uniques), ...VISIT_CLASSES];
      const described = this.questions.describe(asked, state);
      return sendRows({ reply, known, parquet: this.parquet, bom: query.bom }, format, {
        ...{ name: 'totals', columns, rows: [{ ...counts, ...byClass }], described },
      });
    }
    const answer: VisitsTotalsAnswer = { ...this.questions.describe(asked, state), totals };
    if (query.compare !== undefined) {
      const range = rangeBefore(asked.range, query.compare);
      const { totals: before, ...then } = await this.reader.totals({ ...asked.query, ...range });
      answer.compared = { ...this.questions.describeRange(range, then), totals: before };
    }
    sendAnswer(reply, known, answer);
  }

  @Operation('GET /rest/v3/statistics/series', {
    id: 'getVisitsSeries',
    scope: 'statistics:read',
    takesShareLink: true,
    summary: 'Visits, visitors and IPs by quarter of an hour, hour, day, week, month, quarter or year',
    description: EXACT,
    tag: 'Statistics',
    query: seriesQuery,
    answer: visitsSeriesSchema,
    examples: SERIES_EXAMPLES,
    contentType: ROW_TYPES,
    problems: PROBLEMS,
  })
  async series(
    @Reached() reach: Reach,
    @Query() query: SeriesQuery,
    @Headers('if-none-match') known: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const format = rowFormatOf(query, accept);
    const asked = await this.questions.understand(reach, query, clientGone(reply));
    const { interval } = asked.range;
    const { points, state } = await this.#points(asked, asked.range);
    const described = this.questions.describe(asked, state);
    if (format !== 'json') {
      const columns = ['start', ...countColumns(asked.query.uniques)];
      return sendRows({ reply, known, parquet: this.parquet, bom: query.bom }, format, {
        name: 'series',
        columns,
        rows: points,
        described,
      });
    }
    const answer: VisitsSeriesAnswer = { ...described, interval, series: points };
    if (query.compare !== undefined) {
      const range = rangeBefore(asked.range, query.compare);
      const before = await this.#points(asked, range);
      answer.compared = { ...this.questions.describeRange(range, before.state), series: before.points };
    }
    sendAnswer(reply, known, answer);
  }

  @Operation('GET /rest/v3/statistics/dimensions/:name', {
    id: 'getVisitsDimension',
    scope: 'statistics:read',
    takesShareLink: true,
    summary: 'Visits by the values of a dimension',
    description: `Names: ${VISIT_DIMENSIONS.join(', ')}, and ${FIRST_SEEN}: \`new\` is the first visit of its visitor among those that are counted, all others are \`returning\`, \`unknown\` where nobody can be told apart. ${EXACT}`,
    tag: 'Statistics',
    query: dimensionQuery,
    answer: visitsDimensionSchema,
    examples: DIMENSION_EXAMPLES,
    contentType: ROW_TYPES,
    problems: PROBLEMS,
  })
  async dimension(
    @Reached() reach: Reach,
    @Param('name') name: string,
    @Query() query: DimensionQuery,
    @Headers('if-none-match') known: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const dimension = dimensionOf(name, query);
    this.questions.expectShown('name', dimension);
    const asked = await this.questions.understand(reach, query, clientGone(reply));
    const format = formatOf(query.format, accept);
    const page = pageOf(query, format);
    const window = { ...query.orderBy, ...pageWindow(page) };
    const { rows, values, visits, ...state } = await this.#values(asked.query, dimension, window);
    const described = this.questions.describe(asked, state);
    if (format !== 'json') {
      const columns = ['value', ...countColumns(asked.query.uniques)];
      return sendRows({ reply, known, parquet: this.parquet, bom: query.bom }, format, {
        name: dimension,
        columns,
        rows: rows.map((row) => ({ ...row })),
        described,
      });
    }
    const answer: VisitsDimensionAnswer = {
      ...described,
      dimension,
      visits,
      values: toPage(rows, { ...page, totalItems: values }),
      other: otherThan(rows, { values, visits }),
    };
    sendAnswer(reply, known, answer);
  }

  @Operation('GET /rest/v3/statistics/links', {
    id: 'getVisitedLinks',
    scope: 'statistics:read',
    takesShareLink: true,
    summary: 'Short URLs by their visits in a range',
    description: `Those that were visited, deleted ones too. ${EXACT}`,
    tag: 'Statistics',
    query: visitedLinksQuery,
    answer: visitedLinksSchema,
    examples: LINKS_EXAMPLES,
    contentType: ROW_TYPES,
    problems: PROBLEMS,
  })
  async links(
    @Reached() reach: Reach,
    @Query() query: VisitedLinksQuery,
    @Headers('if-none-match') known: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = await this.questions.understand(reach, query, clientGone(reply));
    const format = formatOf(query.format, accept);
    const page = pageOf(query, format);
    const window = { ...query.orderBy, ...pageWindow(page) };
    const { rows, values, visits, ...state } = await this.reader.values(asked.query, 'link', window);
    const addresses = await this.directory.addresses(rows.map(({ value }) => value));
    const links = rows.map(({ value, ...counts }) => {
      const address = addresses.get(value);
      if (address === undefined) return { shortCode: null, domain: null, shortUrl: null, ...counts };
      const shortUrl = this.settings.publicUrl(address.domain, `/${address.code}`);
      return { shortCode: address.code, domain: address.domain, shortUrl, ...counts };
    });
    const described = this.questions.describe(asked, state);
    if (format !== 'json') {
      const columns = ['shortCode', 'domain', 'shortUrl', ...countColumns(asked.query.uniques)];
      return sendRows({ reply, known, parquet: this.parquet, bom: query.bom }, format, {
        name: 'links',
        columns,
        rows: links,
        described,
      });
    }
    const answer: VisitedLinksAnswer = {
      ...described,
      visits,
      links: toPage(links, { ...page, totalItems: values }),
      other: otherThan(rows, { values, visits }),
    };
    sendAnswer(reply, known, answer);
  }

  #values(query: AskedQuestion['query'], dimension: GroupedBy | typeof FIRST_SEEN, window: ValuePage) {
    if (dimension === FIRST_SEEN) return this.reader.firstSeen(query, window);
    return this.reader.values(query, dimension, window);
  }

  async #points({ query }: AskedQuestion, range: AskedQuestion['range']) {
    const starts = seriesStarts(range, range.interval, range.timeZone);
    const { points, ...state } = await this.reader.series({ ...query, ...range }, starts);
    const names = formatStarts(starts, range.timeZone);
    return { points: points.map((point, nth) => ({ start: names[nth] ?? '', ...point })), state };
  }
}
