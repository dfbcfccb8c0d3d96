import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common';
import { type User, type UserList, userListSchema, userSchema } from '@hopcount/contracts';
import { Users } from '@hopcount/identities';
import { isAppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { expectUnchanged } from '../http/sent-back.js';
import { RequestLimits } from '../limits/request-limits.js';
import { refuseOtherPage } from '../session/same-origin.js';
import { browserOf, setSessionCookie } from '../session/session-cookie.js';
import { Settings } from '../settings.js';
import { toUser } from './to-user.js';
import { acceptInviteRequest, editUserRequest, listUsersQuery, parseUserId, userEdits } from './user.requests.js';

/** People who sign in. */
@Controller()
export class UsersController {
  constructor(
    private readonly users: Users,
    private readonly limits: RequestLimits,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/users', {
    id: 'listUsers',
    scope: 'admin',
    summary: 'List users',
    description: 'By email, disabled ones too.',
    tag: 'Users',
    query: listUsersQuery,
    listsAll: true,
    answer: userListSchema,
  })
  async list(@Query() query: z.output<typeof listUsersQuery>): Promise<UserList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { users, totalItems } = await this.users.list(pageWindow(asked));
    return { users: toPage(users.map(toUser), { ...asked, totalItems }) };
  }

  @Operation('PATCH /rest/v3/users/:id', {
    id: 'editUser',
    scope: 'admin',
    summary: 'Disable or enable a user, or give them another role',
    description: 'Links that they made end when they are disabled, or are no owner any more.',
    tag: 'Users',
    body: editUserRequest,
    answer: userSchema,
    problems: ['user-not-found', 'last-owner', 'read-only-field'],
  })
  async edit(@Param('id') id: string, @Body() edit: z.output<typeof editUserRequest>): Promise<User> {
    const userId = parseUserId(id);
    const answered = toUser(await this.users.get(userId));
    expectUnchanged(edit, answered, { taken: userEdits, counted: ['dateLastSignIn'] });
    return toUser(await this.users.edit(userId, edit));
  }

  @Operation('DELETE /rest/v3/users/:id', {
    id: 'deleteUser',
    scope: 'admin',
    summary: 'Delete a user',
    description:
      'Their sessions end, their roles and the links of invites that they made go. Short URLs, webhooks and API keys that they made stay: `GET /rest/v3/audit-log?kind=api-key&actorKind=user&actor=NAME` lists the keys. It does not keep them out where `OIDC_DOMAINS` is set: they can sign in with the provider again and get a new account with `OIDC_ROLE`; disable them instead.',
    tag: 'Users',
    answer: null,
    problems: ['user-not-found', 'last-owner'],
  })
  async remove(@Param('id') id: string): Promise<void> {
    await this.users.remove(parseUserId(id));
  }

  @Operation('DELETE /rest/v3/users/:id/provider-identity', {
    id: 'unbindUser',
    scope: 'admin',
    summary: 'Forget whom a user is at the OpenID Connect provider',
    description:
      'For an address that the provider has given to somebody else: whoever signs in next with the verified address is bound. What may be of the one before ends: sessions, the password, the second factor, links for another password and links that they made; API keys that they made go on. To sign in with a password again takes `POST /rest/v3/users/{id}/reset`. Done also when nobody is bound.',
    tag: 'Users',
    answer: null,
    problems: ['user-not-found', 'last-owner'],
  })
  async unbind(@Param('id') id: string): Promise<void> {
    await this.users.unbind(parseUserId(id));
  }

  @Operation('POST /rest/v3/users/accept', {
    id: 'acceptInvite',
    scope: 'public',
    summary: 'Use a link: make an account, or choose another password',
    description: 'Signs in, as `POST /rest/v3/session` does.',
    tag: 'Users',
    body: acceptInviteRequest,
    answer: userSchema,
    problems: [
      ...(['invalid-data', 'malformed-request-body', 'invite-not-found', 'user-conflict', 'too-many-users'] as const),
      ...(['cross-site-request', 'too-many-requests', 'sign-in-unavailable'] as const),
    ],
  })
  async accept(
    @Body() given: z.output<typeof acceptInviteRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    refuseOtherPage(request.headers, this.settings.apiOrigin);
    await this.limits.expectFewFailedKeys(request, reply);
    const { id, session } = await this.users
      .accept(given, browserOf(request).userAgent)
      .catch(async (error: unknown) => {
        if (isAppError(error, 'invite-not-found')) await this.limits.noteFailedKey(request, reply);
        throw error;
      });
    setSessionCookie(reply, session);
    return toUser(await this.users.get(id));
  }
}
