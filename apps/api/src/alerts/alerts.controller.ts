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
const COUNTED = [
  'watched',
  'ongoing',
  'toldAt',
  'checkedUntil',
  'deliveredAt',
  'lastFailure',
  'disabledReason',
  'allowedEmail',
];

/** Alerts of users on numbers of visits. Workers check them and send the messages. */
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
    description: 'Your own alerts. API keys with `admin` and owners of everything get the alerts of all users.',
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
      'Each quarter of an hour, visits by people (classes `human` and `opted-out`) in the last `windowMinutes` are checked. ' +
      '`above` and `below` compare them with `threshold`. `rise` and `drop` compare them with typical visits: the median of the same time on the ' +
      'seven days before, and the same time a week before; the condition must be met for both. A window longer than a day is compared with the four windows before it, in whole days. ' +
      'A message is sent once when the condition is met, and again only after a whole window in which it is not met. ' +
      'Posted messages are signed with the `secret` in this response, which is not shown again. Failed posts are repeated, as for webhooks. ' +
      'E-mail goes to the address of your account and is not signed. Owners of everything and API keys with `admin` may use any address. ' +
      'You may watch only visits that you may see; a domain, tag, host or all short URLs needs access to all of it. If you lose that access, nothing is sent any more. ' +
      'Limits: 50 alerts per user or API key, 500 in all.',
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
    description:
      'Fields that are absent keep their value. What the alert watches, its `kind` and its `channel` cannot be changed.',
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
    if ((change.factor ?? null) !== null && before.factor === null)
      throw invalid('factor', 'Only rise and drop have a factor.');
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
    description: 'Messages that are not sent yet are dropped.',
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
    description: 'List the alerts to see whether it was delivered (`deliveredAt`, `lastFailure`).',
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
      throw invalid(
        'domain',
        'Name only one of domain, tag, group, shortCode and host (or shortCode with its domain).',
      );
    if (host === null) {
      if (hostKind !== null) throw invalid('hostKind', 'hostKind needs a host.');
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
    createdBy: {
      ...(userId === null ? { kind: 'api-key' as const, id: keyId ?? 0 } : { kind: 'user' as const, id: userId }),
      name: alert.createdBy,
    },
    allowedEmail: alert.allowedEmail,
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
