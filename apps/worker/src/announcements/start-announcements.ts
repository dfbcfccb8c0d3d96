import { LinkOutbox } from '@hopcount/links';
import type { Database } from '@hopcount/postgres';
import type { RedisClient } from '@hopcount/redis';
import { Gauge, type Logger, type Registry } from '@hopcount/runtime';

/** Announces the changes of links whose api process died, or had no Redis. No job with one holder: rows are shared out. */
export function startAnnouncements(deps: {
  database: Database;
  redis: RedisClient;
  registry: Registry;
  logger: Logger;
}): LinkOutbox {
  const outbox = new LinkOutbox(deps.database, deps.redis, deps.logger);
  const registers = [deps.registry];
  const age = new Gauge({
    name: 'hopcount_link_outbox_oldest_age_seconds',
    help: 'Age of the oldest change of a link that gateways have not been told of; 0 when there is none.',
    registers,
  });
  new Gauge({
    name: 'hopcount_link_outbox_rows',
    help: 'Changes of links that gateways have not been told of; more than a moment: Redis is away.',
    registers,
    async collect() {
      const backlog = await outbox.backlog().catch(() => undefined);
      if (backlog === undefined) return;
      this.set(backlog.rows);
      age.set(backlog.ageSeconds);
    },
  });
  outbox.start();
  return outbox;
}
