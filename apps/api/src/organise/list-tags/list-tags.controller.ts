import { Controller, Query } from '@nestjs/common';
import {
  type Page,
  tagListSchema,
  type TagNames,
  type TagStats,
  type TagStatsList,
  tagStatsListSchema,
} from '@hopcount/contracts';
import { TagList, type TagRecord } from '@hopcount/links';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { Reached } from '../../http/reached.js';
import { listTagNamesQuery, type ListTagsQuery, listTagsQuery, MAX_TAGS_PER_PAGE } from './list-tags.query.js';

@Controller()
export class ListTagsController {
  constructor(private readonly tags: TagList) {}

  @Operation('GET /rest/v3/tags', {
    id: 'listTags',
    scope: 'links:read',
    summary: 'List tags',
    description: 'Those without a short URL, too.',
    tag: 'Tags',
    query: listTagNamesQuery,
    listsAll: true,
    answer: tagListSchema,
  })
  async list(@Reached() reach: Reach, @Query() query: ListTagsQuery): Promise<TagNames> {
    return { tags: await this.#page(reach, query, ({ tag }) => tag) };
  }

  @Operation('GET /rest/v3/tags/stats', {
    id: 'listTagStats',
    scope: 'statistics:read',
    summary: 'List tags with their short URLs and visits',
    tag: 'Tags',
    query: listTagsQuery,
    listsAll: true,
    answer: tagStatsListSchema,
  })
  async stats(@Reached() reach: Reach, @Query() query: ListTagsQuery): Promise<TagStatsList> {
    return { tags: await this.#page(reach, query, toStats) };
  }

  async #page<Item>(reach: Reach, query: ListTagsQuery, toItem: (tag: TagRecord) => Item): Promise<Page<Item>> {
    const atMost = MAX_TAGS_PER_PAGE;
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all', atMost), atMost };
    const { tags, totalItems } = await this.tags.list({ reach, ...query, ...pageWindow(asked) });
    return toPage(tags.map(toItem), { ...asked, totalItems });
  }
}

function toStats({ tag, links, visits, nonBotVisits }: TagRecord): TagStats {
  const visitsSummary = { total: visits, nonBots: nonBotVisits, bots: visits - nonBotVisits };
  return { tag, shortUrlsCount: links, visitsSummary };
}
