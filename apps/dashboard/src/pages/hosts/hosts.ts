import { answerOf, type components } from '@hopcount/client';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import type { Dates, Interval } from '../../features/view/view.js';
import { COMPARED_AT_MOST, type Grouping, type HostOrder, isComparable, type Kind } from './hosts-search.js';

export type HostRow = components['schemas']['HostList']['hosts']['data'][number];
export type HostSeries = components['schemas']['HostVisits'];
export type HostComparison = components['schemas']['HostComparison'];
export type HostAlert = components['schemas']['HostAlert'];

/** Their curves are asked for ten at a time. */
export const HOSTS_PER_PAGE = 20;
/** Of sites there are no further pages. */
export const SITES_AT_MOST = 500;
const ALERTS_PER_PAGE = 10;
const REFRESH_MS = 15_000;

export interface HostsAsked {
  kind: Kind;
  by: Grouping;
  below: string | undefined;
  order: HostOrder;
  after: string | undefined;
  sites: 'more' | undefined;
}

export function useHosts({ kind, by, below, order, after, sites }: HostsAsked) {
  const query = {
    itemsPerPage: String(by === 'site' && sites === 'more' ? SITES_AT_MOST : HOSTS_PER_PAGE),
    // A list of sites is of all names, by visits of all time.
    ...(by === 'site'
      ? { by }
      : { orderBy: order, ...(below !== undefined && { below }), ...(after !== undefined && { after }) }),
  };
  return useApi(
    ['hosts', 'list', kind, query],
    (signal) => answerOf(api.GET('/rest/v3/hosts/{kind}', { params: { path: { kind }, query }, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

/** Of a host and all below it. */
export function useHostVisits(kind: Kind, host: string, dates: Dates & { interval: Interval }) {
  const params = { path: { kind, host }, query: { scope: 'subtree' as const, ...dates } };
  return useApi(
    ['hosts', 'visits', params],
    (signal) => answerOf(api.GET('/rest/v3/hosts/{kind}/{host}', { params, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

/** Each with all below it, of one moment. */
export function useComparison(kind: Kind, names: readonly string[], dates: Dates & { interval: Interval }) {
  const params = { path: { kind }, query: { names: names.join(','), scope: 'subtree' as const, ...dates } };
  return useApi(
    ['hosts', 'compare', params],
    (signal) => answerOf(api.GET('/rest/v3/hosts/{kind}/compare', { params, signal })),
    { refetchInterval: REFRESH_MS },
  );
}

/** Visits of the first rows of a page, by point: one question after the other, as of big names one is answered at a time. */
export function useCurves(kind: Kind, rows: readonly HostRow[], interval: Interval, dates: Dates) {
  const hosts = rows
    .slice(0, HOSTS_PER_PAGE)
    .map(({ host }) => host)
    .filter(isComparable)
    // The same question in whatever order the rows come.
    .sort();
  return useApi(
    ['hosts', 'curves', kind, hosts, interval, dates],
    async (signal) => {
      const curves = new Map<string, number[]>();
      for (let first = 0; first < hosts.length; first += COMPARED_AT_MOST) {
        const names = hosts.slice(first, first + COMPARED_AT_MOST).join(',');
        const params = { path: { kind }, query: { names, scope: 'subtree' as const, interval, ...dates } };
        const { hosts: found } = await answerOf(api.GET('/rest/v3/hosts/{kind}/compare', { params, signal }));
        for (const { host, series } of found)
          curves.set(
            host,
            series.map(({ visits }) => visits),
          );
      }
      return curves;
    },
    { enabled: hosts.length > 0 },
  );
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
