import { Body, Controller, Param, Query } from '@nestjs/common';
import { type Block, type BlockPage, blockListSchema, blockSchema } from '@hopcount/contracts';
import { type BlockRecord, BlockStore } from '@hopcount/links';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { expectUnchanged } from '../http/sent-back.js';
import {
  addBlockRequest,
  blockFields,
  listBlocksQuery,
  MAX_BLOCKS_PER_PAGE as atMost,
  USUAL_PAGE,
} from './blocks.requests.js';

@Controller()
export class BlocksController {
  constructor(private readonly blocks: BlockStore) {}

  @Operation('GET /rest/v3/blocks', {
    id: 'listBlocks',
    scope: 'admin',
    summary: 'List blocked hosts, patterns and short URLs',
    description: 'Newest first.',
    tag: 'Blocks',
    query: listBlocksQuery,
    answer: blockListSchema,
  })
  async list(@Query() query: z.output<typeof listBlocksQuery>): Promise<BlockPage> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, USUAL_PAGE, atMost), atMost };
    const { kind = null, searchTerm } = query;
    const { blocks, totalItems } = await this.blocks.list({ kind, searchTerm, ...pageWindow(asked) });
    return { blocks: toPage(blocks.map(toBlock), { ...asked, totalItems }) };
  }

  @Operation('POST /rest/v3/blocks', {
    id: 'addBlock',
    scope: 'admin',
    summary: 'Block a host, a pattern or a short URL, or warn of it',
    description:
      'No short URL to it can be created from now on, and those that exist are answered 410 within 10 seconds, unless a rule ' +
      'leads elsewhere; such requests are recorded as orphan visits of the type `blocked` (with `warn`: `held_back`). One that is there gets reason and action.',
    tag: 'Blocks',
    body: addBlockRequest,
    answer: blockSchema,
    problems: ['block-list-full', 'read-only-field'],
  })
  async add(@Body() given: z.output<typeof addBlockRequest>): Promise<Block> {
    const { kind, value, reason = '', action, ...sent } = given;
    if (Object.keys(sent).length > 0) {
      const before = await this.blocks.find(kind, value);
      expectUnchanged(sent, before === undefined ? {} : toBlock(before), { taken: blockFields });
    }
    return toBlock(await this.blocks.add(kind, value, reason, action));
  }

  @Operation('DELETE /rest/v3/blocks/:blockId', {
    id: 'removeBlock',
    scope: 'admin',
    summary: 'Remove a block',
    description: 'What was blocked is as it was before, within 10 seconds.',
    tag: 'Blocks',
    answer: null,
    problems: ['block-not-found'],
  })
  async remove(@Param('blockId') id: string): Promise<void> {
    await this.blocks.remove(id);
  }
}

function toBlock({ createdAt, ...block }: BlockRecord): Block {
  return { ...block, createdAt: formatDate(createdAt) };
}
