import { setTimeout as sleep } from 'node:timers/promises';

import type { Queryable } from '@hopcount/postgres';
import { Gauge, type Registry } from '@hopcount/runtime';

const READ_AGES = `SELECT dc, extract(epoch FROM now() - as_of)::float8 AS seconds FROM host_peers WHERE as_of IS NOT NULL`;
const PATIENCE_MS = 1_000;

/** Measured when it is scraped; every worker tells the same. As many as peers that were ever set. */
export function measurePeers(registry: Registry, database: Queryable): void {
  new Gauge({
    name: 'hopcount_host_peer_age_seconds',
    help: 'How old what is known of a data centre is: all it had counted by host before is here, but for what was refused. Absent until it said so, and while PostgreSQL does not answer.',
    labelNames: ['dc'],
    registers: [registry],
    async collect() {
      // Absent while PostgreSQL does not answer, as the help says.
      const ages = database.query<{ dc: string; seconds: number }>(READ_AGES).catch(() => []);
      const known = await Promise.race([ages, sleep(PATIENCE_MS, [], { ref: false })]);
      this.reset();
      for (const { dc, seconds } of known) this.set({ dc }, seconds);
    },
  });
}
