import { measureIdSpaces } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { Gauge, type Logger, type Registry } from '@hopcount/runtime';

import { askedAtMost } from './asked-at-most.js';
import type { WorkerConfig } from './worker.config.js';

const FRESH_MS = 60_000;

interface Services {
  config: Pick<WorkerConfig, 'looseCodes'>;
  database: Queryable;
  logger: Pick<Logger, 'warn'>;
}

/** Measured when it is scraped, at most once a minute; every worker tells the same. */
export function watchIdSpaces(registry: Registry, { config, database, logger }: Services): void {
  const spaces = askedAtMost(logger, FRESH_MS, () => measureIdSpaces(database, config));
  new Gauge({
    name: 'hopcount_id_space_used_ratio',
    help: 'Used of what can be given out: random codes before they get one character more (codes), time that ids of links can hold (snowflakes). Absent while PostgreSQL does not answer.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const known = await spaces();
      this.reset();
      if (known === undefined) return;
      for (const kind of ['codes', 'snowflakes'] as const) this.set({ kind }, known[kind].used);
    },
  });
}
