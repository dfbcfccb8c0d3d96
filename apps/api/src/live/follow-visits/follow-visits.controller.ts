import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { liveEventsSchema } from '@hopcount/contracts';
import { Identities } from '@hopcount/identities';
import { AppError, isAppError } from '@hopcount/runtime';
import { type FeedCursor, parseCursor } from '@hopcount/statistics';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Operation } from '../../http/operation.js';
import { RequestLimits } from '../../limits/request-limits.js';
import { LiveHub, readerOf } from '../live-hub.js';
import type { LiveReader } from '../live-stream.js';
import { LiveTokens } from '../live-token.js';
import { parseTopics } from '../live-topics.js';
import { type FollowVisitsQuery, followVisitsQuery } from './follow-visits.query.js';

export const FOLLOW_PATH = '/rest/v3/live';
const BEARER = /^Bearer (\S+)$/i;
const WRONG_TOKEN = ['missing-authentication', 'invalid-api-key'] as const;
/** Longer a timer cannot be. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

@Controller()
export class FollowVisitsController {
  constructor(
    private readonly hub: LiveHub,
    private readonly tokens: LiveTokens,
    private readonly identities: Identities,
    private readonly limits: RequestLimits,
  ) {}

  @Operation(`GET ${FOLLOW_PATH}`, {
    id: 'followVisits',
    scope: 'public',
    summary: 'Follow visits as they come, as server-sent events',
    description:
      'Each event is JSON: `{shortUrl, visit}`, of an orphan visit `{visit}`. Whoever lost the connection names the last event in ' +
      '`Last-Event-ID` and gets what came since, each once, for ten minutes; where that is not certain an event `gap` comes ' +
      'first. A reader that lets 256 KB wait is closed, and so is one whose API key was revoked or whose session ended. An API key or user has 50 connections at most, of each process. The token is that of `mercure-info`.',
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
    void reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return void reply.send();
    const stream = await this.hub.follow(reader, topics, after);
    // The client then asks for a new token and goes on.
    const end = setTimeout(() => stream.end(), Math.min(endsAtMs - Date.now(), LONGEST_TIMER_MS));
    stream.once('close', () => clearTimeout(end));
    // Not the request's end: that came long ago.
    reply.raw.once('close', () => stream.destroy());
    return void reply.send(stream);
  }

  /** @throws AppError `missing-authentication`, `invalid-api-key` */
  async #expect(token: string | undefined): Promise<{ reader: LiveReader; endsAtMs: number }> {
    const { holder, endsAtMs } = this.tokens.expect(token);
    const reader = await readerOf(this.identities, holder);
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
