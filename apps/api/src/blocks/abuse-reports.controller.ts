import { Controller, Param, Query } from '@nestjs/common';
import { type AbuseReport, type AbuseReportPage, abuseReportListSchema } from '@hopcount/contracts';
import { type AbuseReportRecord, AbuseReports } from '@hopcount/links';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { listReportsQuery, MAX_BLOCKS_PER_PAGE as atMost, USUAL_PAGE } from './blocks.requests.js';

@Controller()
export class AbuseReportsController {
  constructor(private readonly reports: AbuseReports) {}

  @Operation('GET /rest/v3/abuse-reports', {
    id: 'listAbuseReports',
    scope: 'admin',
    summary: 'List what visitors reported of short URLs',
    description:
      'Newest first: a row for each short URL and cause, with how often it was said. Pages that stand before a short URL (a warning, a password) have the form for it.',
    tag: 'Blocks',
    query: listReportsQuery,
    answer: abuseReportListSchema,
  })
  async list(@Query() query: z.output<typeof listReportsQuery>): Promise<AbuseReportPage> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, USUAL_PAGE, atMost), atMost };
    const { reports, totalItems } = await this.reports.list(pageWindow(asked));
    return { abuseReports: toPage(reports.map(toReport), { ...asked, totalItems }) };
  }

  @Operation('DELETE /rest/v3/abuse-reports/:reportId', {
    id: 'dismissAbuseReport',
    scope: 'admin',
    summary: 'Dismiss a report',
    description: 'Somebody has looked: it is gone, until the next visitor says the same.',
    tag: 'Blocks',
    answer: null,
    problems: ['abuse-report-not-found'],
  })
  async dismiss(@Param('reportId') id: string): Promise<void> {
    await this.reports.dismiss(id);
  }
}

function toReport({ firstAt, lastAt, ...report }: AbuseReportRecord): AbuseReport {
  return { ...report, firstAt: formatDate(firstAt), lastAt: formatDate(lastAt) };
}
