import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import {
  type Alert,
  type AlertList,
  alertListSchema,
  alertSchema,
  HOST_KINDS,
  type NewAlert,
  newAlertSchema,
  type WebhookTest,
  webhookTestSchema,
} from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import { type Identity, reachFor } from '@hopcount/identities';
import { type AlertOwner, type AlertRecord, AlertStore, type AlertSubject } from '@hopcount/links';
import { AppError, type Reach } from '@hopcount/runtime';
import { parseTimeZone } from '@hopcount/statistics';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { nameOf } from '../hosts/hosts.query.js';
import { formatDate } from '../http/dates.js';
import { Operation } from '../http/operation.js';
import { Reached } from '../http/reached.js';
import { expectUnchanged } from '../http/sent-back.js';
import { Settings } from '../settings.js';
import { VisitsQuestions } from '../statistics/visits-statistics/visits-questions.js';
import { alertEdits, createAlertRequest, editAlertRequest } from './alerts.requests.js';

/** What workers change. */
const COUNTED = ['watched', 'ongoing', 'toldAt', 'checkedUntil', 'deliveredAt', 'lastFailure', 'disabledReason'];

/** What users are told of numbers of visits. A worker checks them and posts. */
@Controller()
export class AlertsController {
  constructor(
    private readonly alerts: AlertStore,
    private readonly questions: VisitsQuestions,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/alerts', {
    id: 'listAlerts',
    scope: 'statistics:read',
    summary: 'List alerts',
    description: 'Your own; with `admin` and for owners of everything those of everybody.',
    tag: 'Alerts',
    answer: alertListSchema,
  })
  async list(@Req() request: FastifyRequest): Promise<AlertList> {
    const data = (await this.alerts.list(ownerOf(request))).map(toAlert);
    return { alerts: { data }, channels: this.alerts.channels };
  }

  @Operation('POST /rest/v3/alerts', {
    id: 'createAlert',
    scope: 'statistics:read',
    summary: 'Create an alert',
    description:
      'Visits by people (classes `human` and `opted-out`) in the last `windowMinutes` are checked each time a quarter of an hour is counted. ' +
      '`above` and `below` compare them with `threshold`; `rise` and `drop` with what is typical: the median of the same time on the seven days ' +
      'before (of a window longer than a day: as many whole days before, four times) and, the same time a week before, whichever makes it harder. ' +
      'A message is posted once when the condition is met, and again only after a whole window without it. ' +
      'It is signed with the `secret` of the answer, which is shown this once, and repeated until it is taken, as those of webhooks are. ' +
      'E-mail goes to the address of your account; owners of everything and API keys with `admin` may name any other. It is not signed. ' +
      'You may watch what you may see: a domain, tag, host or all short URLs only if you see all of it. When that ends, nothing is posted any more. ' +
      '50 of an owner, 500 in all.',
    tag: 'Alerts',
    body: createAlertRequest,
    answer: newAlertSchema,
    problems: [
      ...(['unsafe-target', 'email-not-configured', 'too-many-alerts', 'read-only-field'] as const),
      ...(['invalid-time-zone', 'beyond-role'] as const),
      ...(['short-url-not-found', 'tag-not-found', 'domain-not-found', 'group-not-found'] as const),
    ],
  })
  async create(
    @Body() given: z.output<typeof createAlertRequest>,
    @Reached() reach: Reach,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewAlert> {
    const subject = await this.#subject(reach, given);
    const timeZone = parseTimeZone(given.timeZone ?? this.settings.reportingTimeZone);
    const { alert, secret } = await this.alerts.create(ownerOf(request), subject, { ...given, timeZone });
    void reply.header('cache-control', 'no-store');
    return { secret, ...toAlert(alert) };
  }

  @Operation('PATCH /rest/v3/alerts/:id', {
    id: 'editAlert',
    scope: 'statistics:read',
    summary: 'Edit, disable or enable an alert',
    description: 'What is absent stays. What it watches, its kind and its channel cannot be changed.',
    tag: 'Alerts',
    body: editAlertRequest,
    answer: alertSchema,
    problems: ['alert-not-found', 'unsafe-target', 'email-not-configured', 'read-only-field', 'invalid-time-zone'],
  })
  async edit(
    @Param('id') id: string,
    @Body() change: z.output<typeof editAlertRequest>,
    @Req() request: FastifyRequest,
  ): Promise<Alert> {
    const owner = ownerOf(request);
    const before = await this.alerts.get(owner, parseId(id));
    expectUnchanged(change, toAlert(before), { taken: alertEdits, counted: COUNTED });
    if ((change.factor ?? null) !== null && before.factor === null) throw invalid('factor', 'It is of rise and drop.');
    const { name, windowMinutes, threshold, url, email, enabled } = change;
    const factor = change.factor ?? undefined;
    const timeZone = change.timeZone === undefined ? undefined : parseTimeZone(change.timeZone);
    const edits = { name, windowMinutes, threshold, factor, timeZone, url, email, enabled };
    return toAlert(await this.alerts.edit(owner, before.id, edits));
  }

  @Operation('DELETE /rest/v3/alerts/:id', {
    id: 'deleteAlert',
    scope: 'statistics:read',
    summary: 'Delete an alert',
    description: 'What waits to be posted is not posted any more.',
    tag: 'Alerts',
    answer: null,
    problems: ['alert-not-found'],
  })
  async remove(@Param('id') id: string, @Req() request: FastifyRequest): Promise<void> {
    await this.alerts.remove(ownerOf(request), parseId(id));
  }

  @Operation('POST /rest/v3/alerts/:id/test', {
    id: 'testAlert',
    scope: 'statistics:read',
    summary: 'Send a test message of an alert',
    description: 'List the alerts to see how it went.',
    tag: 'Alerts',
    answer: webhookTestSchema,
    problems: ['alert-not-found'],
  })
  async test(@Param('id') id: string, @Req() request: FastifyRequest): Promise<WebhookTest> {
    return { eventId: await this.alerts.test(ownerOf(request), parseId(id), new Date()) };
  }

  /** @throws AppError `invalid-data`, `beyond-role`, and what says that it is not there */
  async #subject(reach: Reach, given: z.output<typeof createAlertRequest>): Promise<AlertSubject> {
    const { domain = null, tag = null, group = null, shortCode = null, host = null, hostKind = null } = given;
    const named = [domain, tag, group, shortCode, host].filter((name) => name !== null).length;
    const isLinkOfDomain = shortCode !== null && domain !== null && named === 2;
    if (named > 1 && !isLinkOfDomain)
      throw invalid('domain', 'An alert watches one thing; shortCode may have its domain.');
    if (host === null) {
      if (hostKind !== null) throw invalid('hostKind', 'hostKind says of what host: name one.');
      const scope = await this.questions.scope(reach, { domain, tag, group, shortCode, filter: [] });
      if (scope.of === 'orphans') throw new RangeError('no orphans were asked for');
      return scope;
    }
    reach.expectWhole('see the hosts of all short URLs');
    return { of: 'host', kind: HOST_KINDS.indexOf(hostKind ?? 'target'), name: nameOf(host, 'host') };
  }
}

function ownerOf({ identity }: FastifyRequest): AlertOwner {
  if (identity === undefined) throw new Error('nobody was identified');
  return {
    userId: identity.kind === 'user' ? identity.id : null,
    keyId: identity.kind === 'key' ? identity.id : null,
    ofEverybody: isAdmin(identity),
  };
}

function isAdmin(identity: Identity): boolean {
  return reachFor(identity, 'admin') !== undefined;
}

function toAlert(alert: AlertRecord): Alert {
  const { id, name, domain, tag, group, shortCode, host, hostKind, kind, windowMinutes, threshold, factor } = alert;
  const { timeZone, channel, url, email, enabled, disabledReason, watched, ongoing, userId, keyId } = alert;
  return {
    ...{ id: String(id), name, domain, tag, group, shortCode, host: host && asciiOf(host) },
    hostKind: hostKind === null ? null : (HOST_KINDS[hostKind] ?? null),
    ...{ kind, windowMinutes, threshold, factor, timeZone, channel, url, email },
    ...{ enabled, disabledReason, watched, ongoing },
    toldAt: alert.toldAt && formatDate(alert.toldAt),
    checkedUntil: formatDate(alert.checkedUntil),
    deliveredAt: alert.deliveredAt && formatDate(alert.deliveredAt),
    lastFailure: alert.failedAt && { at: formatDate(alert.failedAt), reason: alert.failure ?? '' },
    createdBy: userId === null ? { kind: 'api-key', id: keyId ?? 0 } : { kind: 'user', id: userId },
    createdAt: formatDate(alert.createdAt),
  };
}

/** @throws AppError `alert-not-found` */
function parseId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError('alert-not-found', `There is no alert "${text.slice(0, 32)}".`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
