import { Controller, Query, Req, Res } from '@nestjs/common';
import { ProviderSignIn } from '@hopcount/identities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { Operation } from '../http/operation.js';
import { RequestLimits } from '../limits/request-limits.js';
import { Settings } from '../settings.js';
import { ProviderFlows } from './provider-flows.js';
import { parseReturnTo } from './return-to.js';
import { browserOf, setSessionCookie } from './session-cookie.js';

const beginQuery = z.strictObject({
  returnTo: z
    .string()
    .optional()
    .meta({ description: 'Path of this server to go to when signed in; the page of this API unless given.' }),
});

/** All of it is the provider's answer, which is checked as a whole. */
const callbackQuery = z.looseObject({});
const PROBLEMS = ['no-provider', 'provider-unavailable', 'sign-in-unavailable', 'too-many-requests'] as const;

/** Sign-in with an OpenID Connect provider: two addresses that a browser is led to. */
@Controller()
export class ProviderController {
  constructor(
    private readonly signIns: ProviderSignIn,
    private readonly flows: ProviderFlows,
    private readonly limits: RequestLimits,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/session/oidc', {
    id: 'beginProviderSignIn',
    scope: 'public',
    summary: 'Go to the OpenID Connect provider to sign in',
    description: 'For browsers: a page links here. The attempt is bound to the browser and ends after ten minutes.',
    tag: 'Users',
    query: beginQuery,
    answer: null,
    redirects: true,
    problems: [...PROBLEMS, 'invalid-data'],
  })
  async begin(
    @Query() { returnTo }: z.output<typeof beginQuery>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const destination = parseReturnTo(returnTo, this.settings.apiUrl ?? 'http://localhost');
    await this.limits.admitProviderSignIn(request, reply, 0);
    const { address, flow } = await this.signIns.begin();
    this.flows.keep(reply, flow, destination);
    return reply.header('cache-control', 'no-store').redirect(address, 303);
  }

  @Operation('GET /rest/v3/session/oidc/callback', {
    id: 'endProviderSignIn',
    changes: true,
    scope: 'public',
    summary: 'Come back from the OpenID Connect provider, signed in',
    description:
      'The provider sends browsers here; the query is what it says of the attempt. Begins a session, as `POST /rest/v3/session` does. Who has no account is let in only with a verified email address of a domain that the settings name.',
    tag: 'Users',
    query: callbackQuery,
    answer: null,
    redirects: true,
    problems: [...PROBLEMS, 'provider-sign-in-failed', 'not-admitted', 'too-many-users'],
  })
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('cache-control', 'no-store');
    this.signIns.expectProvider();
    await this.limits.admitProviderSignIn(request, reply, 1);
    const { flow, returnTo } = this.flows.take(request, reply);
    const { search } = new URL(request.raw.url ?? '/', 'http://localhost');
    const { session } = await this.signIns.finish(flow, search, browserOf(request));
    setSessionCookie(reply, session);
    return reply.redirect(returnTo, 303);
  }
}
