import { Controller, Headers, Param, Query, Res } from '@nestjs/common';
import {
  HOST_KINDS,
  type HostAlertList,
  hostAlertListSchema,
  type HostList,
  hostListSchema,
  hostSchema,
  type HostVisits,
} from '@hopcount/contracts';
import { asciiOf, formatCountLines } from '@hopcount/hosts';
import type { Reach } from '@hopcount/runtime';
import {
  exactnessOf,
  exactnessOfHostSums,
  formatRanges,
  formatStarts,
  HostAlerts,
  HostLists,
  HostSeries,
  parseRange,
  seriesStarts,
} from '@hopcount/statistics';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';

import { expectNoRange } from '../http/date-range.js';
import { Operation } from '../http/operation.js';
import { pageSize } from '../http/page.js';
import { Reached } from '../http/reached.js';
import { Settings } from '../settings.js';
import { AllTime, type Question, toDataCentres } from './all-time.js';
import {
  fromAlertCursor,
  fromCursor,
  kindOf,
  listAlertsQuery,
  listHostsQuery,
  MAX_HOSTS_PER_PAGE,
  nameOf,
  notOfSites,
  showHostQuery,
  toAlertCursor,
  toCursor,
  USUAL_PAGE,
} from './hosts.query.js';
import { SERIES_PROBLEMS } from './host-series.controller.js';

const KINDS =
  'Kinds: `target`, the host visits were sent to; `referrer`; `short`, the host that was asked; `fed`, counts from elsewhere.';

const WIDE =
  'No question has longer than 5 seconds, and of those about more than 10,000 names one is answered at a time.';
const MOST_LINES = 10_000;
/** What the client would like most. */
const LINES = /^\s*text\/plain\b/i;

/** Visits by host: of all short URLs, so only for who reaches all of them. */
@Controller()
export class HostsController {
  constructor(
    private readonly lists: HostLists,
    private readonly series: HostSeries,
    private readonly allTime: AllTime,
    private readonly alerts: HostAlerts,
    private readonly settings: Settings,
  ) {}

  @Operation('GET /rest/v3/hosts/:kind', {
    id: 'listHosts',
    scope: 'statistics:read',
    summary: 'List hosts one label below a name, by visits',
    description: `Each with all below it, the most visits first; about a second behind; visits of all time are those of all data centres. ${WIDE} ${KINDS}`,
    tag: 'Hosts',
    query: listHostsQuery,
    answer: hostListSchema,
    problems: ['beyond-role', 'too-many-questions', 'answer-takes-too-long'],
  })
  async list(
    @Reached() reach: Reach,
    @Param('kind') kindGiven: string,
    @Query() query: z.output<typeof listHostsQuery>,
  ): Promise<HostList> {
    reach.expectWhole('see the hosts of all short URLs');
    const kind = kindOf(kindGiven);
    const below = query.below === null ? null : nameOf(query.below, 'below');
    const after = query.after === null ? null : fromCursor(query.after);
    const size = pageSize(query.itemsPerPage, USUAL_PAGE, MAX_HOSTS_PER_PAGE);
    const limit = size === 'all' ? MAX_HOSTS_PER_PAGE : size;
    const { orderBy, by } = query;
    const { keyId } = reach;
    if (by === 'site' && (below !== null || after !== null || orderBy !== 'visits')) throw notOfSites();
    const { hosts, next, isAttributed } =
      by === 'site'
        ? { ...(await this.lists.listSites({ kind, limit, keyId })), next: null }
        : await this.lists.list({ kind, below, orderBy, after, limit, keyId });
    const data = hosts.map(({ name, ...host }) => ({ host: asciiOf(name), ...host }));
    const { exact } = exactnessOfHostSums(isAttributed);
    const cursor = next === null ? null : toCursor(next);
    return { hosts: { kind, below: below === null ? null : asciiOf(below), exact, data, next: cursor } };
  }

  @Operation('GET /rest/v3/hosts/alerts', {
    id: 'listHostAlerts',
    scope: 'statistics:read',
    summary: 'List surges of hosts',
    description:
      'Those that go on first, then the newest. A host surges when it has 100 visits in five minutes, 4 times as many as usual and more ' +
      'than chance makes of it, for 30 seconds; usual is the larger median of the same time in the last four weeks and of the last two ' +
      'hours. Five minutes end where everything is counted: a backlog is no surge. It is told of the lowest name that has 80 % of it. Also ' +
      'told to webhooks, as `host.surged`. Kept for 400 days.',
    tag: 'Hosts',
    query: listAlertsQuery,
    answer: hostAlertListSchema,
    problems: ['beyond-role'],
  })
  async listAlerts(@Reached() reach: Reach, @Query() query: z.output<typeof listAlertsQuery>): Promise<HostAlertList> {
    reach.expectWhole('see the hosts of all short URLs');
    const after = query.after === null ? null : fromAlertCursor(query.after);
    const size = pageSize(query.itemsPerPage, USUAL_PAGE, MAX_HOSTS_PER_PAGE);
    const { alerts, next } = await this.alerts.list(after, size === 'all' ? MAX_HOSTS_PER_PAGE : size);
    const data = alerts.map(({ kind, name, isOpen, isNew, ...alert }) => ({
      ...alert,
      kind: HOST_KINDS[kind] ?? 'fed',
      host: asciiOf(name),
      state: isOpen ? ('open' as const) : ('closed' as const),
      new: isNew,
      openedAt: alert.openedAt.toISOString(),
      escalatedAt: alert.escalatedAt?.toISOString() ?? null,
      closedAt: alert.closedAt?.toISOString() ?? null,
    }));
    return { alerts: { data, next: next === null ? null : toAlertCursor(next) } };
  }

  @Operation('GET /rest/v3/hosts/:kind/:host', {
    id: 'getHostVisits',
    scope: 'statistics:read',
    summary: 'Visits of a host, or of the hosts below it',
    description:
      `Up to the moment of the answer. With \`Accept: text/plain\` lines such as \`9001 leetcode.com\`: the name and the names below it, ` +
      `each with all below it, of all time, the most visits first, at most ${MOST_LINES}; \`exact\` is in the header \`X-Statistics\`. ${WIDE} ${KINDS}`,
    tag: 'Hosts',
    query: showHostQuery,
    goesOnInOutage: true,
    answer: hostSchema,
    contentType: ['application/json', 'text/plain'],
    problems: SERIES_PROBLEMS,
  })
  async show(
    @Reached() reach: Reach,
    @Param('kind') kindGiven: string,
    @Param('host') hostGiven: string,
    @Query() { scope, period, ...asked }: z.output<typeof showHostQuery>,
    @Headers('accept') accept: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    reach.expectWhole('see the hosts of all short URLs');
    const [kind, name] = [kindOf(kindGiven), nameOf(hostGiven, 'host')];
    if (LINES.test(accept ?? '')) {
      const { rows, isAttributed } = await this.lists.lines({ kind, name }, MOST_LINES, reach.keyId);
      const { exact } = exactnessOfHostSums(isAttributed);
      reply.type('text/plain; charset=utf-8').header('x-statistics', JSON.stringify({ exact }));
      return void reply.send(formatCountLines(rows));
    }
    const timeZone = asked.timeZone ?? this.settings.reportingTimeZone;
    if (period === 'allTime') {
      expectNoRange(asked);
      const question = { kind, name, scope, keyId: reach.keyId };
      return void reply.send(await this.allTime.read(question, { timeZone, interval: asked.interval }));
    }
    void reply.send(await this.#ofRange({ kind, name, scope, keyId: reach.keyId }, { ...asked, timeZone }));
  }

  async #ofRange({ kind, name, scope, keyId }: Question, asked: Parameters<typeof parseRange>[0]): Promise<HostVisits> {
    const range = parseRange(asked, Date.now());
    const starts = seriesStarts(range, range.interval, range.timeZone);
    const query = {
      kind,
      names: [name],
      scope,
      from: range.from,
      to: range.to,
      starts,
      withDataCentres: true,
      keyId,
    };
    const { hosts, asOf, ...state } = await this.series.read(query);
    const { totals, allTime, dataCentres, children, lumped, points } = hosts[0]!;
    const [dates] = formatRanges([range], range.timeZone);
    const names = formatStarts(starts, range.timeZone);
    return {
      ...{ kind, host: asciiOf(name), scope, asOf: asOf.toISOString(), ...dates!, timeZone: range.timeZone },
      ...{ interval: range.interval, exact: exactnessOf(state).exact },
      ...{ totals, allTime, children, lumped },
      dataCentres: toDataCentres(dataCentres),
      series: names.map((start, nth) => ({ start, visits: points[nth] ?? 0 })),
    };
  }
}
