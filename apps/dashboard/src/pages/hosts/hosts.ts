import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { type Interval, type Question, withoutFilters } from '../../features/view/view.js';
import type { HostOrder, Kind } from './hosts-search.js';

export type HostRow = components['schemas']['HostList']['hosts']['data'][number];
export type HostSeries = components['schemas']['HostVisits'];
export type HostAlert = components['schemas']['HostAlert'];

const HOSTS_PER_PAGE = 25;
const ALERTS_PER_PAGE = 10;
const REFRESH_MS = 15_000;

export interface HostsAsked {
  kind: Kind;
  below: string | undefined;
  order: HostOrder;
  after: string | undefined;
}

export function useHosts({ kind, below, order, after }: HostsAsked) {
  const query = {
    ...{ orderBy: order, itemsPerPage: String(HOSTS_PER_PAGE) },
    ...(below !== undefined && { below }),
    ...(after !== undefined && { after }),
  };
  return useApi(
    ['hosts', 'list', kind, query],
    (signal) => answerOf(api.GET('/rest/v3/hosts/{kind}', { params: { path: { kind }, query }, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

/** Of a host and all below it. */
export function useHostVisits(kind: Kind, host: string, dates: HostDates & { interval: Interval }) {
  const params = { path: { kind, host }, query: { scope: 'subtree' as const, ...dates } };
  return useApi(
    ['hosts', 'visits', params],
    (signal) => answerOf(api.GET('/rest/v3/hosts/{kind}/{host}', { params, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

export interface HostDates {
  startDate: string;
  endDate: string;
  timeZone: string;
}

/** Hosts know no presets: the days of the range, as the answer about all visits names them. */
export function useHostDates(question: Question) {
  const query = { ...withoutFilters(question), uniques: 'none' as const };
  return useApi(['statistics', 'dates', query], async (signal): Promise<HostDates> => {
    const answer = await answerOf(api.GET('/rest/v3/statistics/totals', { params: { query }, signal }));
    return { startDate: answer.startDate, endDate: answer.endDate, timeZone: answer.timeZone };
  });
}

export function useAlerts(after: string | undefined) {
  const query = { itemsPerPage: String(ALERTS_PER_PAGE), ...(after !== undefined && { after }) };
  return useApi(
    ['hosts', 'alerts', query],
    (signal) => answerOf(api.GET('/rest/v3/hosts/alerts', { params: { query }, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

/** `a.b.example.com` below `example.com` below `com`: each of them, the top first. */
export function ancestorsOf(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, nth) => labels.slice(labels.length - 1 - nth).join('.'));
}
