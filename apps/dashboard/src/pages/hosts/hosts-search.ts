export const KINDS = ['target', 'referrer', 'short', 'fed'] as const;
export type Kind = (typeof KINDS)[number];
export const ORDERS = ['visits', 'window'] as const;
export type HostOrder = (typeof ORDERS)[number];

export interface HostsSearch {
  kind?: Kind | undefined;
  order?: HostOrder | undefined;
  /** The name whose children are listed; absent: the top. */
  below?: string | undefined;
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
  return { ...(kind && { kind }), ...(order && { order }), ...Object.fromEntries(texts) };
}
