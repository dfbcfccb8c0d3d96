export const KINDS = ['target', 'referrer', 'short', 'fed'] as const;
export type Kind = (typeof KINDS)[number];
export const ORDERS = ['visits', 'window'] as const;
export type HostOrder = (typeof ORDERS)[number];
/** What the rows are: names one label below another one, or sites (`example.co.uk`). */
export const GROUPINGS = ['label', 'site'] as const;
export type Grouping = (typeof GROUPINGS)[number];
/** As many as the api compares in one answer. */
export const COMPARED_AT_MOST = 10;

export interface HostsSearch {
  kind?: Kind | undefined;
  order?: HostOrder | undefined;
  by?: 'site' | undefined;
  /** Absent: the first 20 sites. */
  sites?: 'more' | undefined;
  /** The name whose children are listed; absent: the top. */
  below?: string | undefined;
  /** That are compared. */
  hosts?: string[] | undefined;
  /** The pages of the list and of the surges, as the api names them. */
  after?: string | undefined;
  surges?: string | undefined;
}

/** Addresses are written by anybody: what is not understood is left out. */
export function parseHostsSearch(search: Record<string, unknown>): HostsSearch {
  const kind = KINDS.find((one) => one === search['kind']);
  const order = ORDERS.find((one) => one === search['order']);
  const texts = (['below', 'after', 'surges'] as const).flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  const hosts = [search['hosts'] ?? []].flat().filter((one) => typeof one === 'string' && isComparable(one));
  return {
    ...(kind && { kind }),
    ...(order && { order }),
    ...(search['by'] === 'site' && { by: 'site' as const }),
    ...(search['sites'] === 'more' && { sites: 'more' as const }),
    ...(hosts.length > 0 && { hosts: [...new Set(hosts as string[])].slice(0, COMPARED_AT_MOST) }),
    ...Object.fromEntries(texts),
  };
}

/** What begins with ~ stands for several, and of a referrer there are names that nobody can ask for. */
export function isComparable(host: string): boolean {
  return /^[\w-]+(\.[\w-]+)*$/.test(host);
}
