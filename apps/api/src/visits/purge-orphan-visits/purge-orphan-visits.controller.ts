import { Controller } from '@nestjs/common';
import { type DeletedVisits, deletedVisitsSchema } from '@hopcount/contracts';
import { OrphanVisits } from '@hopcount/ledger';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';

@Controller()
export class PurgeOrphanVisitsController {
  constructor(private readonly orphans: OrphanVisits) {}

  @Operation('DELETE /rest/v3/visits/orphan', {
    id: 'deleteOrphanVisits',
    scope: 'visits:purge',
    summary: 'Delete all orphan visits',
    description:
      'Those that occurred before this moment are gone for good: none comes back with a late or repeated delivery.',
    tag: 'Visits',
    answer: deletedVisitsSchema,
    problems: ['beyond-role'],
  })
  async purge(@Reached() reach: Reach): Promise<DeletedVisits> {
    return { deletedVisits: await this.orphans.purge(reach) };
  }
}
