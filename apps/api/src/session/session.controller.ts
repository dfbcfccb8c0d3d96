import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import { type User, userSchema } from '@hopcount/contracts';
import { Sessions, SignIn, Users } from '@hopcount/identities';
import { isAppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { queryFlag } from '../http/input.js';
import { Operation } from '../http/operation.js';
import { RequestLimits } from '../limits/request-limits.js';
import { Settings } from '../settings.js';
import { toUser } from '../users/to-user.js';
import { refuseOtherPage } from './same-origin.js';
import { userOf } from './user-of.js';
import { changePasswordRequest, signInRequest } from './session.requests.js';
import { browserOf, dropSessionCookie, setSessionCookie } from './session-cookie.js';

const signOutQuery = z.strictObject({
  everywhere: queryFlag.meta({ description: '`true`: all sessions of the user end.' }),
});

/** Who is signed in. Every api process follows the end of a session within five seconds. */
@Controller()
export class SessionController {
  constructor(
    private readonly signIns: SignIn,
    private readonly sessions: Sessions,
    private readonly users: Users,
    private readonly limits: RequestLimits,
    private readonly settings: Settings,
  ) {}

  @Operation('POST /rest/v3/session', {
    id: 'signIn',
    scope: 'public',
    summary: 'Sign in',
    description:
      'The answer sets the cookie `__Host-hopcount`, which browsers take over https and from localhost. The same answer for an unknown account, a disabled one and a wrong password.',
    tag: 'Users',
    body: signInRequest,
    answer: userSchema,
    problems: [
      ...(['invalid-data', 'malformed-request-body', 'invalid-credentials', 'cross-site-request'] as const),
      ...(['too-many-requests', 'sign-in-unavailable', 'second-factor-required', 'too-many-codes'] as const),
    ],
  })
  async begin(
    @Body() { email, password, code }: z.output<typeof signInRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    refuseOtherPage(request.headers, this.settings.apiOrigin);
    await this.limits.admitSignIn(request, reply, email);
    const given = { email, password, code };
    const { id, session } = await this.signIns.signIn(given, browserOf(request)).catch(async (error: unknown) => {
      if (isAppError(error, 'invalid-credentials')) await this.limits.noteFailedSignIn(email);
      throw error;
    });
    setSessionCookie(reply, session);
    return toUser(await this.users.get(id));
  }

  @Operation('GET /rest/v3/session', {
    id: 'getSession',
    scope: 'user',
    summary: 'Say who is signed in',
    tag: 'Users',
    answer: userSchema,
    problems: ['user-not-found'],
  })
  async read(@Req() request: FastifyRequest): Promise<User> {
    return toUser(await this.users.get(userOf(request).id));
  }

  @Operation('DELETE /rest/v3/session', {
    id: 'signOut',
    scope: 'user',
    summary: 'Sign out',
    tag: 'Users',
    query: signOutQuery,
    answer: null,
  })
  async end(
    @Query() { everywhere }: z.output<typeof signOutQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.end(userOf(request), { everywhere });
    dropSessionCookie(reply);
  }

  @Operation('PUT /rest/v3/session/password', {
    id: 'changePassword',
    scope: 'user',
    summary: 'Change the password',
    description: 'All other sessions of the user end, and links for another password.',
    tag: 'Users',
    body: changePasswordRequest,
    answer: null,
    problems: ['invalid-credentials', 'sign-in-unavailable'],
  })
  async changePassword(
    @Body() { password, newPassword }: z.output<typeof changePasswordRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const user = userOf(request);
    await this.limits.admitPassword(reply, user.id);
    await this.signIns.changePassword(user, password, newPassword);
  }
}
