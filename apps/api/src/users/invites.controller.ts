import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common';
import { type Invite, type InviteList, inviteListSchema, inviteSchema, type OpenInvite } from '@hopcount/contracts';
import { Invites, type IssuedInvite, type Maker, type OpenInvite as OpenInviteRecord } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { pageSize, pageWindow, toPage } from '../http/page.js';
import { Settings } from '../settings.js';
import { INVITE_PAGE } from './invite-page.js';
import { inviteRequest, listUsersQuery, parseUserId } from './user.requests.js';

/** Links that make accounts, or give them another password. */
@Controller()
export class InvitesController {
  constructor(
    private readonly invites: Invites,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/users/invites', {
    id: 'listInvites',
    scope: 'admin',
    summary: 'List the links that can still be used',
    description:
      'Newest first, invites and links for another password. Nobody can read a link again: only its hash is kept.',
    tag: 'Users',
    query: listUsersQuery,
    listsAll: true,
    answer: inviteListSchema,
  })
  async list(@Query() query: z.output<typeof listUsersQuery>): Promise<InviteList> {
    const asked = { page: query.page, size: pageSize(query.itemsPerPage, 'all') };
    const { invites, totalItems } = await this.invites.list(pageWindow(asked));
    return { invites: toPage(invites.map(toInvite), { ...asked, totalItems }) };
  }

  @Operation('DELETE /rest/v3/users/invites/:id', {
    id: 'withdrawInvite',
    scope: 'admin',
    summary: 'Withdraw a link',
    tag: 'Users',
    answer: null,
    problems: ['invite-not-found'],
  })
  async withdraw(@Param('id') id: string): Promise<void> {
    if (!/^\d{1,9}$/.test(id)) throw new AppError('invite-not-found', `There is no link "${id.slice(0, 32)}".`);
    await this.invites.withdraw(Number(id));
  }

  @Operation('POST /rest/v3/users/:id/reset', {
    id: 'resetUser',
    scope: 'admin',
    summary: 'Make a link that gives a user another password',
    description:
      'It works once, within a day, unless another one is made or its maker is disabled. When it is used, all sessions of the user end, and their second factor is removed.',
    tag: 'Users',
    answer: inviteSchema,
    problems: ['user-not-found', 'user-conflict'],
  })
  async reset(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Invite> {
    return this.#issued(await this.invites.reset(parseUserId(id), makerOf(request)), request, reply);
  }

  @Operation('POST /rest/v3/users/invites', {
    id: 'inviteUser',
    scope: 'admin',
    summary: 'Make a link that makes an account',
    description:
      'It works once, within a week, unless its maker (user or key) is disabled before. Whoever opens it chooses email address, name and password.',
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
    return this.#issued(await this.invites.invite({ role, groups, onlyFirst }, makerOf(request)), request, reply);
  }

  #issued({ token, expiresAt }: IssuedInvite, request: FastifyRequest, reply: FastifyReply): Invite {
    void reply.header('cache-control', 'no-store');
    const origin = this.settings.urlFor(request);
    // Behind the #, the token reaches no log of any server.
    return { link: `${origin}${INVITE_PAGE}#${token}`, token, dateExpires: formatDate(expiresAt) };
  }
}

function makerOf({ identity }: FastifyRequest): Maker {
  return identity === undefined ? null : { kind: identity.kind, id: identity.id };
}

function toInvite({ createdAt, expiresAt, groups, ...invite }: OpenInviteRecord): OpenInvite {
  return {
    ...{ ...invite, groups: { ...groups } },
    ...{ dateCreated: formatDate(createdAt), dateExpires: formatDate(expiresAt) },
  };
}
