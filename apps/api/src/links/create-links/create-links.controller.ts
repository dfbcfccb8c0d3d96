import { Body, Controller, Req } from '@nestjs/common';
import { type ShortUrl, type ShortUrlBatch, shortUrlBatchSchema } from '@hopcount/contracts';
import { type Created, LinkStore, type NewLink } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { type AppError, isAppError, type Reach } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import { onceOnly } from '../../http/idempotency-key.js';
import { parseInput } from '../../http/input.js';
import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { toProblem } from '../../http/to-problem.js';
import { createLinkRequest } from '../create-link/create-link.request.js';
import { Settings } from '../../settings.js';
import { ShortUrlPresenter } from '../short-url.presenter.js';
import { type CreateLinksRequest, createLinksRequest, MAX_BATCH_BYTES, MAX_LINKS } from './create-links.request.js';

@Controller()
export class CreateLinksController {
  constructor(
    private readonly links: LinkStore,
    private readonly presenter: ShortUrlPresenter,
    private readonly settings: Settings,
  ) {}

  @Operation('POST /rest/v3/short-urls/batch', {
    id: 'createShortUrls',
    scope: 'links:write',
    creates: true,
    summary: 'Create many short URLs',
    description:
      `Up to ${MAX_LINKS.toLocaleString('en-US')} in one request, each as it would be created by itself, one after the other: ` +
      'one that cannot be created fails alone, and its result is the problem. All that can be are created together: after a lost ' +
      'answer there are all of them or none.',
    tag: 'Short URLs',
    takesIdempotencyKey: true,
    maxBodyBytes: MAX_BATCH_BYTES,
    body: createLinksRequest,
    answer: shortUrlBatchSchema,
  })
  async create(
    @Reached() reach: Reach,
    @Body() { shortUrls }: CreateLinksRequest,
    @Req() request: FastifyRequest,
  ): Promise<ShortUrlBatch> {
    const answer = async (created: readonly Created[], tx: Queryable) => this.#answer(created, tx, request.id);
    const once = onceOnly(request, 'createShortUrls', this.settings);
    return this.links.createAll(reach, shortUrls.map(toNewLink), answer, once);
  }

  async #answer(results: readonly Created[], tx: Queryable, requestId: string): Promise<ShortUrlBatch> {
    const links = results.filter((result) => 'link' in result);
    const shortUrls = (await this.presenter.created(links, tx)).values();
    return {
      created: links.filter(({ isNew }) => isNew).length,
      results: results.map((result) => {
        if ('error' in result) return { problem: toProblem(result.error, requestId).problem };
        return { shortUrl: shortUrls.next().value as ShortUrl, isNew: result.isNew };
      }),
    };
  }
}

function toNewLink(given: unknown): NewLink | AppError {
  try {
    return parseInput(createLinkRequest, given);
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}
