import { Controller, Param, Req } from '@nestjs/common';
import { type SessionList, sessionListSchema } from '@hopcount/contracts';
import { Sessions } from '@hopcount/identities';
import { createIdentifyDevice } from '@hopcount/links/visitors';
import type { FastifyRequest } from 'fastify';

import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { userOf } from './user-of.js';

const identifyDevice = createIdentifyDevice();

/** Where somebody is signed in. */
@Controller()
export class SessionsController {
  constructor(private readonly sessions: Sessions) {}

  @Operation('GET /rest/v3/sessions', {
    id: 'listSessions',
    scope: 'user',
    summary: 'List where you are signed in',
    description: 'This session first, then the last one that was used; 50 at most.',
    tag: 'Users',
    answer: sessionListSchema,
  })
  async list(@Req() request: FastifyRequest): Promise<SessionList> {
    const sessions = await this.sessions.list(userOf(request));
    return {
      sessions: {
        data: sessions.map(({ id, isThis, createdAt, seenAt, expiresAt, userAgent }) => ({
          ...{ id, isThis, dateCreated: formatDate(createdAt) },
          ...{ dateLastUsed: formatDate(seenAt), dateExpires: formatDate(expiresAt) },
          ...deviceOf(userAgent),
        })),
      },
    };
  }

  @Operation('DELETE /rest/v3/sessions/:id', {
    id: 'endSession',
    scope: 'user',
    summary: 'Sign out somewhere else',
    description: 'Within five seconds. To sign out here: `DELETE /rest/v3/session`, which also takes the cookie away.',
    tag: 'Users',
    answer: null,
    problems: ['session-not-found'],
  })
  async end(@Param('id') id: string, @Req() request: FastifyRequest): Promise<void> {
    await this.sessions.endOne(userOf(request), id);
  }
}

function deviceOf(userAgent: string | null) {
  const { browser, os, device } = identifyDevice({ userAgent, clientHints: null });
  return { browser, os, device };
}
