import { createHash } from 'node:crypto';

import { Controller, Param, Req } from '@nestjs/common';
import {
  HOST_BATCH_DAYS,
  HOST_BATCH_REVERSIBLE_DAYS,
  type HostBatch,
  hostBatchSchema,
  type HostCountsV1,
} from '@hopcount/contracts';
import { KafkaPublisher } from '@hopcount/kafka';
import { hostName } from '@hopcount/hosts';
import { HostBatches } from '@hopcount/ledger';
import { AppError, failpoint, type Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import { idempotencyKeyOf, isIdempotencyKey } from '../http/idempotency-key.js';
import { Operation } from '../http/operation.js';
import { Reached } from '../http/reached.js';
import { Settings } from '../settings.js';
import { hostCountsRequest, readHostCounts } from './host-counts.request.js';

const MAX_BYTES = 1_024 * 1_024;
const PATH = '/rest/v3/hosts/counts/batches/:key';

/** Counts of hosts from elsewhere, the kind `fed`: one for all that feed them, whose batches are their own. */
@Controller()
export class HostBatchesController {
  constructor(
    private readonly batches: HostBatches,
    private readonly publisher: KafkaPublisher,
    private readonly settings: Settings,
  ) {}

  @Operation('POST /rest/v3/hosts/counts', {
    id: 'feedHosts',
    scope: 'hosts:write',
    summary: 'Feed counts of hosts from elsewhere',
    description:
      'JSON, or lines such as `9001 discuss.leetcode.com`; at most 10,000, and 1 MB, also of what is gzipped (`Content-Encoding: gzip`). ' +
      'All of them count, or none; once for an Idempotency-Key, however often it is sent, as visits by `human` of now. ' +
      'A host may come twice. Whoever is answered 503 sends it again. Numbers are those of `GET /rest/v3/hosts/fed`.',
    tag: 'Hosts',
    body: hostCountsRequest,
    takesLines: true,
    takesIdempotencyKey: 'needed',
    maxBodyBytes: MAX_BYTES,
    feeds: true,
    isAccepted: true,
    answer: hostBatchSchema,
    problems: ['beyond-role', 'too-many-new-hosts', 'too-many-counts'],
  })
  async feed(@Reached() reach: Reach, @Req() request: FastifyRequest): Promise<HostBatch> {
    reach.expectWhole('feed counts of hosts');
    const [stream, key] = [streamOf(request), idempotencyKeyOf(request)];
    // The guard left text as it is, and made anything else the request.
    const read = readHostCounts(request.body as Parameters<typeof readHostCounts>[0]);
    const [names, counts] = [read.map(({ host }) => hostName(host.ascii)), read.map(({ visits }) => visits)];
    const bodyHash = createHash('sha256')
      .update(JSON.stringify([names, counts]))
      .digest();
    const batch = await this.batches.accept({ stream, key, bodyHash, names, counts }, this.settings.feedLimits);
    if (batch === undefined) {
      throw new AppError('idempotency-key-reused', 'This Idempotency-Key was sent with other counts before.');
    }
    if (batch.state !== 'accepted') return batch;
    const record: HostCountsV1 = {
      ...{ version: 1, stream, key, bodyHash: bodyHash.toString('hex') },
      ...{ acceptedAt: Date.parse(batch.acceptedAt), names, counts },
    };
    // Of one key always the same partition.
    const recordKey = createHash('sha256').update(`${stream}\n${key}`).digest('hex');
    await this.publisher.publish(this.settings.hostCountsTopic, [{ key: recordKey, value: JSON.stringify(record) }]);
    failpoint('api.host-counts-published');
    return batch;
  }

  @Operation(`GET ${PATH}`, {
    id: 'getHostBatch',
    scope: 'hosts:write',
    summary: 'What became of a batch of counts',
    description: `Of the API key that fed it, by its Idempotency-Key; known for ${HOST_BATCH_DAYS} days.`,
    tag: 'Hosts',
    answer: hostBatchSchema,
    problems: ['beyond-role', 'host-batch-not-found'],
  })
  async show(@Reached() reach: Reach, @Param('key') key: string, @Req() request: FastifyRequest): Promise<HostBatch> {
    reach.expectWhole('see what was fed');
    return this.batches.get(streamOf(request), known(key));
  }

  @Operation(`DELETE ${PATH}`, {
    id: 'reverseHostBatch',
    scope: 'hosts:write',
    summary: 'Take a batch of counts away again',
    description: `From the time it was counted at; once, and within ${HOST_BATCH_REVERSIBLE_DAYS} days. One that is not counted yet never will be. Its key stays used.`,
    tag: 'Hosts',
    answer: hostBatchSchema,
    problems: ['beyond-role', 'host-batch-not-found', 'host-batch-ended'],
  })
  async reverse(
    @Reached() reach: Reach,
    @Param('key') key: string,
    @Req() request: FastifyRequest,
  ): Promise<HostBatch> {
    reach.expectWhole('take away what was fed');
    return this.batches.reverse(streamOf(request), known(key));
  }
}

function streamOf({ identity }: FastifyRequest): string {
  if (identity === undefined) throw new Error('nobody was identified');
  return `${identity.kind} ${identity.id}`;
}

function known(key: string): string {
  if (isIdempotencyKey(key)) return key;
  throw new AppError('host-batch-not-found', 'It is no Idempotency-Key.');
}
