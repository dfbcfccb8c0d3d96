import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { type RedirectRules, redirectRulesSchema } from '@hopcount/contracts';
import { LinkEditor, LinkStore, readRoutes } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';
import type { FastifyReply } from 'fastify';

import { toETag, versionFromIfMatch } from '../../http/if-match.js';
import { Operation, type OperationDescription } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { expectUnchanged } from '../../http/sent-back.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { type RedirectRulesRequest, redirectRulesRequest, ruleEdits } from './redirect-rules.request.js';

const SETTING = {
  scope: 'links:write',
  summary: 'Replace where a short URL leads by who asks',
  description: 'Every gateway follows within a second.',
  tag: 'Short URLs',
  takesIfMatch: true,
  query: linkQuery,
  body: redirectRulesRequest,
  answer: redirectRulesSchema,
  problems: ['short-url-not-found', 'version-conflict', 'unsafe-target', 'read-only-field'],
} as const satisfies Omit<OperationDescription, 'id'>;

@Controller()
export class RedirectRulesController {
  constructor(
    private readonly links: LinkStore,
    private readonly editor: LinkEditor,
    private readonly database: Database,
  ) {}

  @Operation('GET /rest/v3/short-urls/:code/redirect-rules', {
    id: 'getRedirectRules',
    scope: 'links:read',
    summary: 'Read where a short URL leads by who asks',
    tag: 'Short URLs',
    query: linkQuery,
    answer: redirectRulesSchema,
    problems: ['short-url-not-found'],
  })
  async get(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RedirectRules> {
    const { id } = await this.links.get(reach, code, domain);
    const routes = await readRoutes(this.database, id);
    // Deleted in between: it says so.
    if (routes === undefined) return this.get(reach, code, { domain }, reply);
    void reply.header('etag', toETag(routes.version));
    return {
      defaultLongUrl: routes.longUrl,
      redirectRules: routes.redirectRules.map((rule, index) => ({ ...rule, priority: index + 1 })),
      split: routes.split,
    };
  }

  @Operation('POST /rest/v3/short-urls/:code/redirect-rules', { id: 'setRedirectRules', ...SETTING })
  async set(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: RedirectRulesRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RedirectRules> {
    const { redirectRules, split, ...sent } = body;
    const { longUrl } = await this.links.get(reach, code, domain);
    expectUnchanged(sent, { defaultLongUrl: longUrl }, { taken: ruleEdits });
    await this.editor.edit(
      reach,
      { code, domain, version: versionFromIfMatch(ifMatch) },
      { redirectRules: nullIfEmpty(redirectRules), split: split && nullIfEmpty(split) },
    );
    return this.get(reach, code, { domain }, reply);
  }

  @Operation('PATCH /rest/v3/short-urls/:code/redirect-rules', { id: 'patchRedirectRules', ...SETTING })
  async patch(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() query: LinkQuery,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: RedirectRulesRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RedirectRules> {
    return this.set(reach, code, query, ifMatch, body, reply);
  }
}

function nullIfEmpty<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items;
}
