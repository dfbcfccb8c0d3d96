import { Controller, Delete } from '@nestjs/common';
import type { DeletedVisits } from '@hopcount/contracts';
import { OrphanPurger } from '@hopcount/ledger';

import { restPaths } from '../../http/rest-paths.js';
import { KeyedOperation } from '../../openapi/operation.js';

@Controller(restPaths('visits'))
export class PurgeOrphanVisitsController {
  constructor(private readonly purger: OrphanPurger) {}

  @Delete('orphan')
  @KeyedOperation({
    id: 'deleteOrphanVisits',
    summary: 'Delete all orphan visits',
    description:
      'Those that occurred before this moment are gone for good: none comes back with a late or repeated delivery. ' +
      'When there are too many for one request, the answer is 503 and the deletion goes on by itself.',
    tag: 'Visits',
    answer: 'DeletedVisits',
    problems: ['malformed-request-body', 'purge-unfinished'],
  })
  async purge(): Promise<DeletedVisits> {
    return { deletedVisits: await this.purger.purge() };
  }
}
