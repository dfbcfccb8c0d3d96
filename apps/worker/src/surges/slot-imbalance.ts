import { HOST_KINDS, type HostKind } from '@hopcount/contracts';
import { type HostWindows, slotOf, SLOTS } from '@hopcount/hosts';

import type { WatchedHosts } from './watched-hosts.js';

/**
 * How unevenly visits of five minutes would be spread over shards by site: those of the largest slot, divided by the mean of as
 * many slots as there are sites to fill, at most SLOTS. 1: each has as many, or there is one site; 0: there are no visits.
 * A kind that has none is in the answer, too.
 */
export function slotImbalance(hosts: WatchedHosts, windows: HostWindows): Map<HostKind, number> {
  const slots = HOST_KINDS.map(() => new Float64Array(SLOTS));
  const sites = HOST_KINDS.map(() => 0);
  for (const number of windows.hostsWith(1)) {
    // Those below a site are in its sum.
    if (hosts.parentOf(number) !== undefined) continue;
    const { kind, name } = hosts.hostOf(number);
    const sums = slots[kind];
    const slot = slotOf(name);
    if (sums === undefined) continue;
    sums[slot] = (sums[slot] ?? 0) + windows.visitsOf(number);
    sites[kind] = (sites[kind] ?? 0) + 1;
  }
  return new Map(HOST_KINDS.map((kind, nth) => [kind, imbalanceOf(slots[nth] ?? new Float64Array(), sites[nth] ?? 0)]));
}

function imbalanceOf(sums: Float64Array, sites: number): number {
  const all = sums.reduce((sum, one) => sum + one, 0);
  return all === 0 ? 0 : (Math.max(...sums) * Math.min(sums.length, sites)) / all;
}
