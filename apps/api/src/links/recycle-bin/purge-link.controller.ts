import { Controller, Param, Query } from '@nestjs/common';
import { type DeletedVisits, deletedVisitsSchema } from '@hopcount/contracts';
import { VisitPurger } from '@hopcount/ledger';
import { LinkBin } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';

@Controller()
export class PurgeLinkController {
  constructor(
    private readonly bin: LinkBin,
    private readonly purger: VisitPurger,
  ) {}

  @Operation('DELETE /rest/v3/deleted-short-urls/:code', {
    id: 'purgeShortUrl',
    scope: 'visits:purge',
    summary: 'Delete a short URL of the recycle bin for good',
    description:
      'With its long URL, title, note, tags and visits. Nothing brings it back, and its code is never given to another link. ' +
      'When there are too many visits for one request, the answer is 503; the link is out of the bin, and the deletion ' +
      'of its visits goes on by itself.',
    tag: 'Short URLs',
    query: linkQuery,
    answer: deletedVisitsSchema,
    problems: ['short-url-not-found', 'purge-unfinished'],
  })
  async purge(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
  ): Promise<DeletedVisits> {
    const purge = await this.bin.purge(reach, code, domain, (tx, linkId) => this.purger.mark(tx, linkId));
    return { deletedVisits: await this.purger.finish(purge) };
  }
}
