import type { VersionAudit } from '@hopcount/ledger';

import type { GatewayState } from './gateway-state.js';

/** All that is known of the gateways of one version, or of several together. */
export interface Observed extends Omit<VersionAudit, 'version'> {
  gateways: number;
  notReady: number;
  answers: number;
  failures: number;
  /** Seconds within which 99 of 100 redirects were durable; undefined: there were none. */
  p99Seconds: number | undefined;
  spooledVisits: number;
  spoolAgeSeconds: number;
  rejectedBytes: number;
}

const NOTHING: Omit<VersionAudit, 'version'> = {
  ...{ sources: 0, visits: 0, settledVisits: 0, equalMinutes: 0, inDoubtMinutes: 0, differentMinutes: 0 },
  ...{ openMinutes: 0, missingVisits: 0, surplusVisits: 0, answeredVisits: 0, refusedVisits: 0 },
  ...{ unreportedMinutes: 0, unauditedMinutes: 0, unauditedVisits: 0, deadLetters: 0 },
};

export function observe(audits: readonly VersionAudit[], gateways: readonly GatewayState[]): Observed {
  const sum = (of: (gateway: GatewayState) => number) => gateways.reduce((total, one) => total + of(one), 0);
  const most = (of: (gateway: GatewayState) => number) => Math.max(0, ...gateways.map(of));
  const names = Object.keys(NOTHING) as (keyof typeof NOTHING)[];
  const audited = { ...NOTHING };
  for (const audit of audits) for (const name of names) audited[name] += audit[name];
  return {
    ...audited,
    gateways: gateways.length,
    notReady: sum(({ isReady }) => (isReady ? 0 : 1)),
    answers: sum(({ answers }) => answers),
    failures: sum(({ failures }) => failures),
    p99Seconds: quantile(0.99, merged(gateways)),
    spooledVisits: sum(({ spooledVisits }) => spooledVisits),
    spoolAgeSeconds: most(({ spoolAgeSeconds }) => spoolAgeSeconds),
    rejectedBytes: most(({ rejectedBytes }) => rejectedBytes),
  };
}

function merged(gateways: readonly GatewayState[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const { durations } of gateways) {
    for (const [bound, count] of durations) counts.set(bound, (counts.get(bound) ?? 0) + count);
  }
  return [...counts].sort(([one], [other]) => one - other);
}

/** As Prometheus' histogram_quantile: evenly spread within a bucket; beyond the last bound, that bound. */
export function quantile(q: number, buckets: readonly [bound: number, count: number][]): number | undefined {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  let [below, counted] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= q * total) {
      return bound === Infinity ? below : below + ((bound - below) * (q * total - counted)) / (count - counted);
    }
    [below, counted] = [bound, count];
  }
  return below;
}
