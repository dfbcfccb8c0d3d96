import { HOST_KINDS, type HostKind } from '@hopcount/contracts';
import { type HostWindows, slotOf, SLOTS } from '@hopcount/hosts';

import type { WatchedHosts } from './watched-hosts.js';

/**
 * How unevenly visits of five minutes would be spread over shards by site: those of the largest slot, divided by the mean of all.
 * 1: each has as many; SLOTS: one site has all of them; 0: there are none. A kind that has none is in the answer, too.
 */
export function slotImbalance(hosts: WatchedHosts, windows: HostWindows): Map<HostKind, number> {
  const slots = HOST_KINDS.map(() => new Float64Array(SLOTS));
  for (const number of windows.hostsWith(1)) {
    // Those below a site are in its sum.
    if (hosts.parentOf(number) !== undefined) continue;
    const { kind, name } = hosts.hostOf(number);
    const sums = slots[kind];
    const slot = slotOf(name);
    if (sums !== undefined) sums[slot] = (sums[slot] ?? 0) + windows.visitsOf(number);
  }
  return new Map(HOST_KINDS.map((kind, nth) => [kind, imbalanceOf(slots[nth] ?? new Float64Array())]));
}

function imbalanceOf(sums: Float64Array): number {
  const all = sums.reduce((sum, one) => sum + one, 0);
  return all === 0 ? 0 : (Math.max(...sums) * sums.length) / all;
}
