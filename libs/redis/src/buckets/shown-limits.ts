import type { ShownLimit } from '@hopcount/runtime';

import type { Withdrawal, Withdrawn } from './token-buckets.js';

export type NamedWithdrawal<Name extends string = string> = Withdrawal & { name: Name };

/** What a client is told of its limits: of the buckets of one name the one that runs out first. In the order of their names in `wanted`. */
export function shownLimits(wanted: readonly NamedWithdrawal[], { buckets }: Withdrawn): ShownLimit[] {
  const shown = new Map<string, ShownLimit>();
  for (const [index, { name, burst, perSecond }] of wanted.entries()) {
    const { left, fullInMs } = buckets[index] ?? { left: 0, fullInMs: 0 };
    const known = shown.get(name);
    if (known === undefined || left < known.left) shown.set(name, { name, burst, perSecond, left, fullInMs });
  }
  return [...shown.values()];
}
