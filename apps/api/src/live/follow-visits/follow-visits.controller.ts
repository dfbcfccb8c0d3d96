import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { liveEventsSchema } from '@hopcount/contracts';
import { AppError, isAppError } from '@hopcount/runtime';
import { type FeedCursor, parseCursor } from '@hopcount/statistics';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Operation } from '../../http/operation.js';
import { RequestLimits } from '../../limits/request-limits.js';
import { EventStreams, sendEvents } from '../event-streams.js';
import { LiveHub } from '../live-hub.js';
import { LiveTokens } from '../live-token.js';
import { parseTopics } from '../live-topics.js';
import { type FollowVisitsQuery, followVisitsQuery } from './follow-visits.query.js';

export const FOLLOW_PATH = '/rest/v3/live';
const BEARER = /^Bearer (\S+)$/i;
const WRONG_TOKEN = ['missing-authentication', 'invalid-api-key'] as const;

@Controller()
export class FollowVisitsController {
  constructor(
    private readonly hub: LiveHub,
    private readonly tokens: LiveTokens,
    private readonly streams: EventStreams,
    private readonly limits: RequestLimits,
  ) {}

  @Operation(`GET ${FOLLOW_PATH}`, {
    id: 'followVisits',
    scope: 'public',
    summary: 'Follow visits as they come, as server-sent events',
    description:
      'Each event is JSON: `{shortUrl, visit}`, of an orphan visit `{visit}`. After a lost connection a client names the last event in ' +
      '`Last-Event-ID` and gets what came since, each once, for ten minutes; where that is not certain an event `gap` comes ' +
      'first. A reader that takes nothing for 30 seconds is closed, and so is one whose API key was revoked or whose session ended. Each process allows 50 connections for an API key or user. The token is that of `mercure-info`.',
    tag: 'Visits',
    query: followVisitsQuery,
    answer: liveEventsSchema,
    contentType: 'text/event-stream',
    problems: ['missing-authentication', 'invalid-api-key', 'invalid-data', 'too-many-requests'],
  })
  async follow(
    @Query() query: FollowVisitsQuery,
    @Headers() headers: Record<string, string | undefined>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const bearer = BEARER.exec(headers['authorization'] ?? '')?.[1];
    const token = bearer ?? query.authorization ?? undefined;
    const { reader, endsAtMs } = await this.#expect(token).catch(async (error: unknown) => {
      if (token !== undefined && WRONG_TOKEN.some((code) => isAppError(error, code)))
        await this.limits.noteFailedKey(request, reply);
      throw error;
    });
    // The guard knows nobody: what came since an old event is read again for each connection.
    await this.limits.admit(request, reply, { method: 'GET', tag: 'Visits' }, reader);
    const topics = parseTopics(topicsOf(request));
    const after = cursorOf(headers['last-event-id'] ?? query.lastEventId ?? query.lastEventID ?? '');
    // At the end of the token the client asks for a new one and goes on.
    await sendEvents(request, reply, () => this.hub.follow(reader, topics, { after, endsAtMs }));
  }

  /** @throws AppError `missing-authentication`, `invalid-api-key` */
  async #expect(token: string | undefined) {
    const { holder, endsAtMs } = this.tokens.expect(token);
    const reader = await this.streams.readerOf(holder);
    if (reader !== undefined) return { reader, endsAtMs };
    const what = holder.kind === 'key' ? 'API key' : 'session';
    const message = `The ${what} that the token was given to has ended, or may not follow visits.`;
    throw new AppError('invalid-api-key', message);
  }
}

/** All of them: a name given several times is a list here, and only here. */
function topicsOf({ url }: FastifyRequest): string[] {
  return new URL(url, 'http://localhost').searchParams.getAll('topic');
}

/** @throws AppError `invalid-data` */
function cursorOf(text: string): FeedCursor | undefined {
  if (text === '') return undefined;
  const cursor = parseCursor(text);
  if (cursor !== undefined) return cursor;
  throw new AppError('invalid-data', 'The last event id is none of this API.', {
    details: { invalidElements: ['lastEventId'] },
  });
}
