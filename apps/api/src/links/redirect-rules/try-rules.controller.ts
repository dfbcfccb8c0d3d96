import { Body, Controller, Param, Query } from '@nestjs/common';
import { TEXT_LIMITS, type TriedRules, triedRulesSchema } from '@hopcount/contracts';
import {
  compileConditions,
  LinkStore,
  preferredLanguages,
  queryParameters,
  readRoutes,
  type RuleFacts,
} from '@hopcount/links';
import { createIdentifyDevice } from '@hopcount/links/visitors';
import { Database } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { type LinkQuery, linkQuery } from '../link.query.js';
import { type TryRulesRequest, tryRulesRequest } from './try-rules.request.js';

const identifyDevice = createIdentifyDevice();

@Controller()
export class TryRulesController {
  constructor(
    private readonly links: LinkStore,
    private readonly database: Database,
  ) {}

  @Operation('POST /rest/v3/short-urls/:code/redirect-rules/try', {
    id: 'tryRedirectRules',
    scope: 'links:read',
    summary: 'Where somebody who asks for a short URL would go',
    description:
      'By its rules and split, as gateways ask them; limits, dates and blocks of the short URL are not asked, and targets are not judged: gateways pass over a rule whose target nobody may be sent to. Nothing is stored or counted.',
    tag: 'Short URLs',
    query: linkQuery,
    body: tryRulesRequest,
    answer: triedRulesSchema,
    problems: ['short-url-not-found'],
  })
  async try(
    @Reached() reach: Reach,
    @Param('code') code: string,
    @Query() { domain }: LinkQuery,
    @Body() visitor: TryRulesRequest,
  ): Promise<TriedRules> {
    const { id } = await this.links.get(reach, code, domain);
    const routes = await readRoutes(this.database, id);
    // Deleted in between: it says so.
    if (routes === undefined) return this.try(reach, code, { domain }, visitor);
    const { redirectRules, split, longUrl } = routes;
    const facts = factsOf(visitor);
    const index = redirectRules.findIndex(({ conditions }) => compileConditions(conditions)(facts));
    const rule = redirectRules[index];
    if (rule !== undefined) return { rule: index + 1, targets: [{ longUrl: rule.longUrl, weight: 1 }] };
    return { rule: null, targets: split.length > 0 ? split : [{ longUrl, weight: 1 }] };
  }
}

function factsOf({ userAgent, acceptLanguage, query, address, country, city, date }: TryRulesRequest): RuleFacts {
  // No more of it than gateways look at.
  const agent = userAgent.slice(0, TEXT_LIMITS.userAgent);
  return {
    ...{ address, place: { country, city } },
    // As it is copied out of an address.
    parameters: queryParameters(query.replace(/^\?/, '')),
    device: identifyDevice({ userAgent: agent === '' ? null : agent, clientHints: null }),
    languages: preferredLanguages(acceptLanguage),
    nowMs: date === null ? Date.now() : Date.parse(date),
  };
}
