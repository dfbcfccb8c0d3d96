import { Controller, Param, Query, Res } from '@nestjs/common';
import { GEO_ATTRIBUTION, type LinkStatistics, linkStatisticsSchema } from '@hopcount/contracts';
import { LinkStore } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';
import { describeFreshness, LinkStatisticsReader, parseRange, type StatisticsRange } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';

import { ApiMetrics } from '../../api.metrics.js';
import { clientGone } from '../../http/client-gone.js';
import { Operation } from '../../http/operation.js';
import { expectNoRange } from '../../http/date-range.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { VisitLogEnds } from '../log-ends.js';
import { keyRotationsIn } from '../statistics-answer.js';
import { type LinkStatisticsQuery, linkStatisticsQuery } from './link-statistics.query.js';
import { LINK_STATISTICS_EXAMPLES } from './link-statistics.examples.js';

@Controller()
export class LinkStatisticsController {
  constructor(
    private readonly links: LinkStore,
    private readonly reader: LinkStatisticsReader,
    private readonly logEnds: VisitLogEnds,
    private readonly metrics: ApiMetrics,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code/stats', {
    id: 'getLinkStatistics',
    scope: 'statistics:read',
    summary: 'Statistics of a short URL over a range, or of all time',
    description:
      'Exact in every IANA zone and at every instant: visits, distinct visitors and distinct IPs of the range, ' +
      'of every interval in it, and visits by the values of each dimension. `period=allTime`: of all of its visits. ' +
      'Who came on both sides of one of `keyRotations` is two visitors and two IPs.',
    tag: 'Statistics',
    query: linkStatisticsQuery,
    answer: linkStatisticsSchema,
    examples: LINK_STATISTICS_EXAMPLES,
    problems: [
      'invalid-range',
      'invalid-time-zone',
      'short-url-not-found',
      'too-many-questions',
      'archive-question-too-large',
      'archive-unreadable',
    ],
  })
  async statistics(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() query: LinkStatisticsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LinkStatistics> {
    const asked = toAsked(query, this.settings.reportingTimeZone);
    const link = await this.links.get(reach, code, query.domain);
    // Before the snapshot: what was published by then is either counted in it or pending.
    const known = await this.logEnds.read();
    const { checkpoints, range, ...counts } = await this.reader.read({
      ...asked,
      linkId: link.id,
      keyId: reach.keyId,
      checkpointsOf: this.settings.counting,
      gone: clientGone(reply),
    });
    if (!counts.exact) this.metrics.inexactAnswers.inc();
    const { countedUpTo, pending } = describeFreshness({ ...known, checkpoints });
    return {
      shortCode: link.code,
      domain: link.isDefaultDomain ? null : link.domain,
      ...describeRange({ ...asked, ...range }),
      countedUpTo: countedUpTo === null ? null : new Date(countedUpTo).toISOString(),
      pending,
      ...counts,
      keyRotations: keyRotationsIn({ ...asked, ...range }, this.settings.keyPeriods),
      attribution: GEO_ATTRIBUTION,
    };
  }
}

/** Of all time the reader finds the range in its snapshot. @throws what parseRange() throws */
function toAsked(query: LinkStatisticsQuery, defaultZone: string) {
  const { period } = query;
  if (period === 'allTime') expectNoRange(query);
  const range = parseRange({ ...query, timeZone: query.timeZone ?? defaultZone }, Date.now());
  const { timeZone, interval } = range;
  return period === 'allTime' ? { timeZone, interval, period } : range;
}

function describeRange({ from, to, timeZone, interval }: StatisticsRange) {
  const format = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toString({ timeZone });
  return { timeZone, startDate: format(from), endDate: format(to), interval };
}
