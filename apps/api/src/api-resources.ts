import { hostname } from 'node:os';

import { KafkaAdmin } from '@hopcount/kafka';
import { ApiKeys, LinkEditor, LinkInvalidations, LinkStore, Snowflakes, WorkerLease } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { createRedis, isRedisAvailable, LinkLocks } from '@hopcount/redis';
import { createMetricsRegistry, Health, type Logger } from '@hopcount/runtime';
import { OrphanPurger, VisitPurger } from '@hopcount/ledger';
import { VisitsTotals } from '@hopcount/statistics';

import type { ApiConfig } from './api.config.js';
import type { ApiParts } from './api.module.js';
import { ApiMetrics } from './api.metrics.js';
import { ReportingZone } from './http/reporting-zone.js';
import { RouteTable } from './http/route-table.js';
import { LinkVisits } from './links/link-visits.js';
import { PublicPlace } from './links/public-place.js';
import { VisitLogEnds } from './statistics/log-ends.js';
import { HOPCOUNT_VERSION } from './version.js';

export interface ApiResources extends ApiParts {
  /** In the reverse order of opening. */
  close(): Promise<void>;
}

/**
 * Connections and domain objects of one api process. Needs PostgreSQL (there is nothing to serve
 * without it); Redis and Kafka may be away, now and later.
 * @throws the database's error
 */
export async function openApiResources(config: ApiConfig, logger: Logger): Promise<ApiResources> {
  const registry = createMetricsRegistry({ process: 'api' });
  const health = new Health({ name: 'hopcount-api', version: HOPCOUNT_VERSION });
  const database = await Database.connect({ url: config.databaseUrl, applicationName: 'hopcount-api' });
  const lease = new WorkerLease(database, { logger });
  const redis = createRedis({ url: config.redisUrl, name: 'hopcount-api', logger });
  const changes = new LinkInvalidations(redis, logger);
  const kafka = new KafkaAdmin({ brokers: config.kafkaBrokers, clientId: 'hopcount-api', logger });
  const links = new LinkStore(database, new Snowflakes(lease), changes, { ...config, logger });
  const locks = new LinkLocks(redis, { owner: `api:${hostname()}:${process.pid}` });

  const metrics = new ApiMetrics(registry);
  const close = async () => {
    changes.close();
    redis.disconnect();
    await kafka.close();
    await lease.close();
    await database.close();
  };
  try {
    await links.ensureDefaultDomain();
    await lease.start();
  } catch (error) {
    await close();
    throw error;
  }
  health.addReadiness('postgres', async () => {
    await database.query('SELECT 1');
    return { status: 'pass' };
  });
  health.addReadiness('redis', () => ({ status: isRedisAvailable(redis) ? 'pass' : 'warn' }));
  return {
    database,
    links,
    editor: new LinkEditor(database, links, locks),
    purger: new VisitPurger(database, locks, { hasSlots: config.slots !== 'off' }),
    orphanPurger: new OrphanPurger(database, { hasSlots: config.slots !== 'off' }),
    totals: new VisitsTotals(database, { hasSlots: config.slots !== 'off' }),
    apiKeys: new ApiKeys(database, { logger }),
    health,
    registry,
    metrics,
    linkVisits: new LinkVisits(database, config.slots === 'off' ? 'traffic' : 'slots'),
    logEnds: new VisitLogEnds(kafka, metrics),
    routes: new RouteTable(),
    place: new PublicPlace(config.publicScheme),
    zone: new ReportingZone(config.reportingTimeZone),
    close,
  };
}
