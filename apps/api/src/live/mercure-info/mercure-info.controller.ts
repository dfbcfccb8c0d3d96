import { Controller, Req } from '@nestjs/common';
import { type MercureInfo, mercureInfoSchema } from '@hopcount/contracts';
import type { FastifyRequest } from 'fastify';

import { formatDate } from '../../http/dates.js';
import { Operation } from '../../http/operation.js';
import { Settings } from '../../settings.js';
import { FOLLOW_PATH } from '../follow-visits/follow-visits.controller.js';
import { LiveTokens } from '../live-token.js';

@Controller()
export class MercureInfoController {
  constructor(
    private readonly tokens: LiveTokens,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/mercure-info', {
    id: 'mercureInfo',
    scope: 'statistics:read',
    summary: 'Say where visits can be followed as they come',
    description:
      'The token lets a page follow them for a day, as long as the API key or the session works, and what that reaches. The address is that of this API; no other server is needed.',
    tag: 'Visits',
    answer: mercureInfoSchema,
  })
  read(@Req() request: FastifyRequest): Promise<MercureInfo> {
    if (request.identity === undefined) throw new Error('nobody was identified');
    const { token, expiresAtMs } = this.tokens.issue(request.identity);
    const origin = this.settings.urlFor(request);
    return Promise.resolve({
      mercureHubUrl: `${origin}${FOLLOW_PATH}`,
      token,
      jwtExpiration: formatDate(new Date(expiresAtMs)),
    });
  }
}
