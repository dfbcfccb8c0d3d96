import { Gauge, type Registry } from '@hopcount/runtime';

import type { NamedWithdrawal } from './shown-limits.js';
import type { Withdrawn } from './token-buckets.js';

/**
 * By limit, how much of its bucket the client used that was nearest to it, since the metrics were last read. A comparison per
 * bucket that was asked anyway, and no label per client.
 */
export class LimitUse {
  readonly #highest = new Map<string, number>();

  constructor(registry: Registry) {
    const highest = this.#highest;
    new Gauge({
      name: 'hopcount_limit_used_ratio',
      help: 'Used of the bucket of the client that was nearest to its limit since this was last asked, by limit (1: refused until tokens come back).',
      labelNames: ['limit'],
      registers: [registry],
      collect() {
        for (const [limit, used] of highest) {
          this.set({ limit }, used);
          highest.set(limit, 0);
        }
      },
    });
  }

  note(wanted: readonly NamedWithdrawal[], { buckets }: Withdrawn): void {
    for (let nth = 0; nth < wanted.length; nth += 1) {
      const { name, burst } = wanted[nth] as NamedWithdrawal;
      const used = 1 - Math.max(0, buckets[nth]?.left ?? burst) / burst;
      if (used >= (this.#highest.get(name) ?? 0)) this.#highest.set(name, used);
    }
  }
}
