import { Controller, Headers, Query, Req, Res } from '@nestjs/common';
import { liveEventsSchema } from '@hopcount/contracts';
import { AppError, type Reach } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { Operation } from '../http/operation.js';
import { queryText } from '../http/input.js';
import { Reached } from '../http/reached.js';
import { sendEvents } from '../live/event-streams.js';
import { HostAlertsHub } from './host-alerts-hub.js';

const followQuery = z.strictObject({
  lastEventId: queryText.meta({ description: 'As the header `Last-Event-ID`, for those who can set none.' }),
});

/** Surges as they are told. */
@Controller()
export class HostAlertsController {
  constructor(private readonly hub: HostAlertsHub) {}

  @Operation('GET /rest/v3/hosts/alerts/stream', {
    id: 'followHostAlerts',
    scope: 'statistics:read',
    summary: 'Follow surges of hosts, as server-sent events',
    description:
      'Each event is JSON: `{id, what, kind, host, at, visits, usualVisits, new, closedBecause, explanation}`; `what`: `opened`, `escalated` (it has doubled) or `closed`; `id` is ' +
      'that of the alert. After a lost connection a client names the last event in `Last-Event-ID` and gets what came since, each once; of more ' +
      'than 1,000 the newest, behind an event `gap`. A reader that takes nothing for a minute is closed, and so is one whose API key was revoked or whose session ended.',
    tag: 'Hosts',
    query: followQuery,
    answer: liveEventsSchema,
    contentType: 'text/event-stream',
    problems: ['beyond-role'],
  })
  follow(
    @Req() request: FastifyRequest,
    @Reached() reach: Reach,
    @Query() query: z.output<typeof followQuery>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reach.expectWhole('see the hosts of all short URLs');
    const { identity } = request;
    if (identity === undefined) throw new Error('nobody was identified');
    const after = positionOf(lastEventId ?? query.lastEventId ?? '');
    return sendEvents(request, reply, () => this.hub.follow(identity, reach, after));
  }
}

/** @throws AppError `invalid-data` */
function positionOf(given: string): number | undefined {
  if (given === '') return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw new AppError('invalid-data', 'It is no id of an event of this stream.', {
    details: { invalidElements: ['lastEventId'] },
  });
}
