import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { type LiveVisitsAnswer, liveEventsSchema, liveVisitsSchema, type ProblemCode } from '@hopcount/contracts';
import type { Identity } from '@hopcount/identities';
import type { Reach } from '@hopcount/runtime';
import type { LiveScope } from '@hopcount/statistics';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { Operation } from '../../http/operation.js';
import { Reached } from '../../http/reached.js';
import { sendEvents } from '../../live/event-streams.js';
import { sendAnswer } from '../statistics-answer.js';
import { VisitsQuestions } from '../visits-statistics/visits-questions.js';
import { type LiveVisitsQuery, liveVisitsQuery } from '../visits-statistics/visits-statistics.query.js';
import { LiveVisitsHub } from './live-visits-hub.js';
import { LIVE_EXAMPLES } from './live-visits.examples.js';

const COUNTED =
  'Counted in the ledger, once a second for all who ask (less often where counting takes longer than a quarter of a second). A visit ' +
  'counts for the moment it happened, so one that was counted late may never be among them.';
const PROBLEMS: readonly ProblemCode[] = [
  'short-url-not-found',
  'tag-not-found',
  'domain-not-found',
  'group-not-found',
  'beyond-role',
];

@Controller()
export class LiveVisitsController {
  constructor(
    private readonly hub: LiveVisitsHub,
    private readonly questions: VisitsQuestions,
  ) {}

  @Operation('GET /rest/v3/statistics/live', {
    id: 'getLiveVisits',
    scope: 'statistics:read',
    summary: 'Visits, visitors and IPs of the last 5 and 30 minutes',
    description: COUNTED,
    tag: 'Statistics',
    query: liveVisitsQuery,
    answer: liveVisitsSchema,
    examples: LIVE_EXAMPLES,
    problems: PROBLEMS,
  })
  async read(
    @Req() request: FastifyRequest,
    @Reached() reach: Reach,
    @Query() query: LiveVisitsQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { identity, scope } = await this.#asked(request, reach, query);
    const answer: LiveVisitsAnswer = await this.hub.ask(identity, scope);
    const { minutes5, minutes30, uncounted } = answer;
    sendAnswer(reply, known, answer, { minutes5, minutes30, uncounted });
  }

  @Operation('GET /rest/v3/statistics/live/stream', {
    id: 'followLiveVisits',
    scope: 'statistics:read',
    summary: 'Follow visits, visitors and IPs of the last 5 and 30 minutes, as server-sent events',
    description: `Each event is JSON as that of \`GET /rest/v3/statistics/live\`. ${COUNTED} A reader that is slow gets fewer of them, and is closed after a minute without taking any; so is one whose API key was revoked or whose session ended.`,
    tag: 'Statistics',
    query: liveVisitsQuery,
    answer: liveEventsSchema,
    contentType: 'text/event-stream',
    problems: PROBLEMS,
  })
  async follow(
    @Req() request: FastifyRequest,
    @Reached() reach: Reach,
    @Query() query: LiveVisitsQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { identity, scope } = await this.#asked(request, reach, query);
    await sendEvents(request, reply, () => this.hub.follow(identity, scope));
  }

  async #asked(
    { identity }: FastifyRequest,
    reach: Reach,
    query: LiveVisitsQuery,
  ): Promise<{ identity: Identity; scope: LiveScope }> {
    if (identity === undefined) throw new Error('nobody was identified');
    const scope = await this.questions.scope(reach, query);
    return { identity, scope: { reach, scope, filters: await this.questions.filters(reach, query) } };
  }
}
