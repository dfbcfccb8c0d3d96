import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common';
import { type Invite, inviteSchema, type User, type UserList, userListSchema, userSchema } from '@hopcount/contracts';
import { type IssuedInvite, Users } from '@hopcount/identities';
import { AppError, isAppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { RequestLimits } from '../limits/request-limits.js';
import { refuseOtherPage } from '../session/same-origin.js';
import { setSessionCookie } from '../session/session-cookie.js';
import { Settings } from '../settings.js';
import { INVITE_PAGE } from './invite-page.js';
import { toUser } from './to-user.js';
import { acceptInviteRequest, editUserRequest, inviteRequest, listUsersQuery } from './user.requests.js';

/** People who sign in, and links that make their accounts. */
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
    tag: 'Users',
    body: editUserRequest,
    answer: userSchema,
    problems: ['user-not-found', 'last-owner'],
  })
  async edit(@Param('id') id: string, @Body() edit: z.output<typeof editUserRequest>): Promise<User> {
    return toUser(await this.users.edit(parseId(id), edit));
  }

  @Operation('POST /rest/v3/users/:id/reset', {
    id: 'resetUser',
    scope: 'admin',
    summary: 'Make a link that gives a user another password',
    description:
      'It works once, within a day. When it is used, all sessions of the user end, and their second factor is removed.',
    tag: 'Users',
    answer: inviteSchema,
    problems: ['user-not-found', 'too-many-users'],
  })
  async reset(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Invite> {
    return this.#issued(await this.users.reset(parseId(id)), request, reply);
  }

  @Operation('POST /rest/v3/users/invites', {
    id: 'inviteUser',
    scope: 'admin',
    summary: 'Make a link that makes an account',
    description: 'It works once, within a week. Whoever opens it chooses email address, name and password.',
    tag: 'Users',
    body: inviteRequest,
    answer: inviteSchema,
    problems: ['user-conflict', 'too-many-users'],
  })
  async invite(
    @Body() { role = null, groups = {}, onlyFirst }: z.output<typeof inviteRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Invite> {
    return this.#issued(await this.users.invite({ role, groups, onlyFirst }), request, reply);
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
      ...(['cross-site-request', 'too-many-requests'] as const),
    ],
  })
  async accept(
    @Body() given: z.output<typeof acceptInviteRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    refuseOtherPage(request.headers, this.settings.apiOrigin);
    const { id, session } = await this.users.accept(given).catch(async (error: unknown) => {
      if (isAppError(error, 'invite-not-found')) await this.limits.noteFailedKey(request, reply);
      throw error;
    });
    setSessionCookie(reply, session);
    return toUser(await this.users.get(id));
  }

  #issued({ token, expiresAt }: IssuedInvite, request: FastifyRequest, reply: FastifyReply): Invite {
    void reply.header('cache-control', 'no-store');
    const origin = this.settings.apiUrl ?? `${request.protocol}://${request.host}`;
    // Behind the #, the token reaches no log of any server.
    return { link: `${origin}${INVITE_PAGE}#${token}`, token, dateExpires: formatDate(expiresAt) };
  }
}

/** @throws AppError `user-not-found` */
function parseId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError('user-not-found', `There is no user "${text.slice(0, 32)}".`);
}
