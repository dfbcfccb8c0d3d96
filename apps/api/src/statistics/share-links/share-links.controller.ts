import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common';
import {
  type NewShareLink,
  newShareLinkSchema,
  type ShareLink,
  type ShareLinkList,
  shareLinkListSchema,
} from '@hopcount/contracts';
import { reachFor, type ShareLinkRecord, ShareLinks, type UserIdentity } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../../http/dates.js';
import { Operation } from '../../http/operation.js';
import { pageSize, pageWindow, toPage } from '../../http/page.js';
import { userOf } from '../../session/user-of.js';
import { Settings } from '../../settings.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';
import { toFilters } from '../visits-statistics/visits-statistics.query.js';
import { createShareLinkRequest, listShareLinksQuery } from './share-links.requests.js';
import { sharePageOf } from './shared-view.js';

const LINKS_PER_PAGE = 100;
const LONGEST_MS = 366 * 86_400_000;

/** Links that show the statistics of one view, without an account. */
@Controller()
export class ShareLinksController {
  constructor(
    private readonly shareLinks: ShareLinks,
    private readonly questions: VisitsQuestions,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/share-links', {
    id: 'listShareLinks',
    scope: 'user',
    summary: 'List share links',
    description:
      'Newest first: your own, and for owners of everything those of everybody. Expired ones are not listed.',
    tag: 'Users',
    query: listShareLinksQuery,
    answer: shareLinkListSchema,
  })
  async list(
    @Query() query: z.output<typeof listShareLinksQuery>,
    @Req() request: FastifyRequest,
  ): Promise<ShareLinkList> {
    const user = userOf(request);
    const size = pageSize(query.itemsPerPage, LINKS_PER_PAGE, LINKS_PER_PAGE);
    const asked = { page: query.page, size, atMost: LINKS_PER_PAGE };
    const { shareLinks, totalItems } = await this.shareLinks.list(user, {
      ...{ ofEverybody: isOwner(user), ...pageWindow(asked) },
    });
    return { shareLinks: toPage(shareLinks.map(toShareLink), { ...asked, totalItems }) };
  }

  @Operation('POST /rest/v3/share-links', {
    id: 'createShareLink',
    scope: 'user',
    summary: 'Make a link that shows the statistics of one view to whoever has it',
    description:
      'Of any time, with `X-Share-Token` on totals, series, dimensions, matrix and links of `statistics`, asked with exactly this domain, tag, group, ' +
      'short URL and these filters; never addresses of visitors. It shows what its maker may see at the moment, and no more than they ' +
      'could when they made it. It ends at its date, when it is revoked, when its maker is disabled or deleted or may not see the view any ' +
      'more, and with its short URL. 100 of a user at most.',
    tag: 'Users',
    body: createShareLinkRequest,
    answer: newShareLinkSchema,
    problems: [
      ...(['too-many-share-links', 'invalid-range', 'short-url-not-found', 'tag-not-found'] as const),
      ...(['domain-not-found', 'group-not-found', 'beyond-role', 'user-not-found'] as const),
    ],
  })
  async create(
    @Body() { name, view, expirationDate }: z.output<typeof createShareLinkRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewShareLink> {
    const user = userOf(request);
    const reach = reachFor(user, 'statistics:read');
    if (reach === undefined) {
      throw new AppError('missing-scope', 'Your role lacks the scope statistics:read.', {
        details: { scope: 'statistics:read' },
      });
    }
    const scope = await this.questions.scope(reach, { ...view, filter: toFilters(view.filters) });
    const linkId = scope.of === 'link' ? scope.linkId : null;
    const tagId = scope.of === 'tag' ? scope.tagId : null;
    const expiresAt = expiryOf(expirationDate);
    const { token, shareLink } = await this.shareLinks.create(user, { name, view, linkId, tagId, reach, expiresAt });
    void reply.header('cache-control', 'no-store');
    const link = this.settings.urlFor(request) + sharePageOf(view, token);
    return { link, token, ...toShareLink(shareLink) };
  }

  @Operation('DELETE /rest/v3/share-links/:id', {
    id: 'revokeShareLink',
    scope: 'user',
    summary: 'Revoke a share link',
    description: 'It shows nothing within five seconds. Owners of everything also revoke those of others.',
    tag: 'Users',
    answer: null,
    problems: ['share-link-not-found'],
  })
  async revoke(@Param('id') id: string, @Req() request: FastifyRequest): Promise<void> {
    if (!/^\d{1,9}$/.test(id))
      throw new AppError('share-link-not-found', `There is no share link "${id.slice(0, 32)}".`);
    const user = userOf(request);
    await this.shareLinks.revoke(Number(id), user, { ofEverybody: isOwner(user) });
  }
}

function isOwner({ role }: UserIdentity): boolean {
  return role === 'owner';
}

/** @throws AppError `invalid-data` */
function expiryOf(text: string): Date {
  const date = new Date(text);
  const inMs = date.getTime() - Date.now();
  if (inMs > 0 && inMs <= LONGEST_MS) return date;
  throw new AppError('invalid-data', 'A share link ends in the future, within a year.', {
    details: { invalidElements: ['expirationDate'] },
  });
}

function toShareLink({ id, name, view, makerId, makerName, createdAt, expiresAt }: ShareLinkRecord): ShareLink {
  return {
    ...{ id, name, view: { ...view, filters: [...view.filters] } },
    createdBy: { id: makerId, name: makerName },
    ...{ dateCreated: formatDate(createdAt), dateExpires: formatDate(expiresAt) },
  };
}
