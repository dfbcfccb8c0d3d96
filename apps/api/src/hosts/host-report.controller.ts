import { Controller, Query, Res } from '@nestjs/common';
import { hostReportSchema } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import type { Reach } from '@hopcount/runtime';
import { formatHostReport, HostReport, parseTimeZone } from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

import { FILE_TYPES, sentType } from '../http/file-types.js';
import { Operation } from '../http/operation.js';
import { Reached } from '../http/reached.js';
import { Settings } from '../settings.js';
import { reportHostsQuery } from './hosts.query.js';

/** What changed among hosts in a month. */
@Controller()
export class HostReportController {
  constructor(
    private readonly report: HostReport,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/hosts/report', {
    id: 'reportHosts',
    scope: 'statistics:read',
    summary: 'Hosts that are new, gone or surged in a month, as CSV',
    description:
      '`new`: visits for the first time; `gone`: some in the month before and none in it; `surged`. `visits`: in the month; of one that is gone, ' +
      'in the month before; of one that surged, in five minutes at its highest. The 10,000 with the most visits of each kind and change. One ' +
      'report is made at a time.',
    tag: 'Hosts',
    query: reportHostsQuery,
    answer: hostReportSchema,
    contentType: FILE_TYPES.csv,
    problems: ['beyond-role', 'invalid-time-zone', 'too-many-questions', 'answer-takes-too-long'],
  })
  async read(
    @Reached() reach: Reach,
    @Query() { month, kind, timeZone, bom }: z.output<typeof reportHostsQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reach.expectWhole('see the hosts of all short URLs');
    const hosts = await this.report.read({
      month,
      timeZone: parseTimeZone(timeZone ?? this.settings.reportingTimeZone),
      ...(kind !== undefined && { kinds: [kind] }),
      keyId: reach.keyId,
    });
    void reply
      .header('content-type', sentType('csv'))
      .header('content-disposition', `attachment; filename="hosts-${month}.csv"`)
      .send(formatHostReport(hosts, asciiOf, { bom }));
  }
}
