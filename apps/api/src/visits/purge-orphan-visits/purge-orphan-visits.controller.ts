import { Controller } from '@nestjs/common';
import { type DeletedVisits, deletedVisitsSchema } from '@hopcount/contracts';
import { OrphanVisits } from '@hopcount/ledger';

import { Operation } from '../../http/operation.js';

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
  })
  async purge(): Promise<DeletedVisits> {
    return { deletedVisits: await this.orphans.purge() };
  }
}
