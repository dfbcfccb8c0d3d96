import { setTimeout as sleep } from 'node:timers/promises';

import { Gauge, type Registry } from 'prom-client';

import type { Health, HealthReport, HealthStatus } from './health.js';

const STATUSES: Record<HealthStatus, number> = { pass: 0, warn: 1, fail: 2 };
/** A scrape does not wait for a server that hangs: what it says then is in the next one. */
const PATIENCE_MS = 500;

/** What /readyz says, for alerts: each check when it is scraped. */
export function measureHealth(registry: Registry, health: Pick<Health, 'ready'>): void {
  let asking: Promise<void> | undefined;
  let latest: HealthReport['checks'] = {};
  const ask = async () => {
    const { checks, status } = await health.ready();
    latest = { ...checks, ready: { status } };
  };
  new Gauge({
    name: 'hopcount_health_check_status',
    help: 'What /readyz says of each of its checks and of all together (ready): 0 passes, 1 warns (the work goes on without), 2 fails.',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      asking ??= ask().finally(() => (asking = undefined));
      await Promise.race([asking, sleep(PATIENCE_MS, undefined, { ref: false })]);
      this.reset();
      for (const [check, { status }] of Object.entries(latest)) this.set({ check }, STATUSES[status]);
    },
  });
}
