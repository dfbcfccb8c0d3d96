import type { HostDimension, VisitFilter } from '@hopcount/archive';

import { nameOf } from '../../hosts/hosts.query.js';

/** Kinds of hosts that visits have; fed counts have no visits. */
export const VISITED_HOSTS = ['target', 'referrer', 'short'] as const;
type VisitedHosts = (typeof VISITED_HOSTS)[number];

const DIMENSIONS: Record<VisitedHosts, HostDimension> = {
  target: 'targetName',
  referrer: 'referrerName',
  short: 'shortName',
};
const BELOW = '*.';

/** What lets through visits of a host and of all below it, or of what is below it alone. @throws AppError `invalid-data` */
export function hostFilters({
  host,
  hostKind = 'target',
}: {
  host?: string | null | undefined;
  hostKind?: VisitedHosts | undefined;
}): VisitFilter[] {
  if (host === undefined || host === null) return [];
  const isBelow = host.startsWith(BELOW);
  const name = nameOf(isBelow ? host.slice(BELOW.length) : host, 'host');
  const values = isBelow ? [] : [name];
  return [{ dimension: DIMENSIONS[hostKind], values, prefixes: [`${name}.`], isExcluded: false }];
}
