import { Controller, Query } from '@nestjs/common';
import { type HotVisitsAnswer, hotVisitsSchema } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';
import { HOT_LINKS_AT_MOST, HotVisitsReader } from '@hopcount/statistics';
import { z } from 'zod';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { Settings } from '../../settings.js';
import { HOT_EXAMPLES } from './hot-visits.examples.js';

const USUAL_LINKS = 100;

const hotVisitsQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(HOT_LINKS_AT_MOST)
    .default(USUAL_LINKS)
    .meta({ description: 'Links, and hosts, at most.' }),
});

@Controller()
export class HotVisitsController {
  constructor(
    private readonly reader: HotVisitsReader,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/statistics/hot', {
    id: 'getHotVisits',
    scope: 'statistics:read',
    summary: 'Short URLs and their domains with the most visits of late, with weights',
    description:
      'For a CDN, a DNS server or a load balancer, which gives the hottest more room. The last 15 to 30 minutes, by the time of ' +
      'the visit; about a second behind, and read at most every ten seconds. A hint for spreading load: visits that are not counted yet are ' +
      'missing. Sudden rises are also told to webhooks, as `link.anomaly` and `host.surged`.',
    tag: 'Statistics',
    query: hotVisitsQuery,
    answer: hotVisitsSchema,
    examples: HOT_EXAMPLES,
    problems: ['beyond-role', 'too-many-questions', 'answer-takes-too-long'],
  })
  async read(@Reached() reach: Reach, @Query() { limit }: z.output<typeof hotVisitsQuery>): Promise<HotVisitsAnswer> {
    reach.expectWhole('see the hottest of all short URLs');
    const { sinceMs, untilMs, visits, domains, links } = await this.reader.read(reach.keyId);
    const loadOf = (own: number) => ({
      visits: own,
      perSecond: rounded(own / ((untilMs - sinceMs) / 1_000), 3),
      weight: rounded(Math.min(1, own / Math.max(visits, 1)), 4),
    });
    return {
      hot: {
        ...{ since: new Date(sinceMs).toISOString(), until: new Date(untilMs).toISOString(), visits },
        hosts: domains.slice(0, limit).map((one) => ({ host: one.domain, ...loadOf(one.visits) })),
        links: links.slice(0, limit).map(({ domain, code: shortCode, visits: own }) => ({
          ...{ domain, shortCode, shortUrl: this.settings.publicUrl(domain, `/${shortCode}`), ...loadOf(own) },
        })),
      },
    };
  }
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
