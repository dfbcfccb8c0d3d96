import { Controller } from '@nestjs/common';
import { type DeletedVisits, deletedVisitsSchema } from '@hopcount/contracts';
import { OrphanPurger } from '@hopcount/ledger';

import { Operation } from '../../http/operation.js';

@Controller()
export class PurgeOrphanVisitsController {
  constructor(private readonly purger: OrphanPurger) {}

  @Operation('DELETE /rest/v3/visits/orphan', {
    id: 'deleteOrphanVisits',
    scope: 'visits:purge',
    summary: 'Delete all orphan visits',
    description:
      'Those that occurred before this moment are gone for good: none comes back with a late or repeated delivery. ' +
      'When there are too many for one request, the answer is 503 and the deletion goes on by itself.',
    tag: 'Visits',
    answer: deletedVisitsSchema,
    problems: ['purge-unfinished'],
  })
  async purge(): Promise<DeletedVisits> {
    return { deletedVisits: await this.purger.purge() };
  }
}
