import type { Archive } from '@hopcount/archive';
import {
  BucketGatherer,
  bucketOf,
  createMonths,
  expireFeed,
  HostBatches,
  LedgerRetention,
  measureHostDrift,
  measureSlotDrift,
  missingMonths,
  noteDoubted,
  OrphanVisits,
  QuietHosts,
  readDoubted,
  SlotMerger,
  SumsSweep,
  VisitPurger,
} from '@hopcount/ledger';
import { AuditLog } from '@hopcount/identities';
import { expireIdempotencyKeys, FilterBuilder, hashUrls } from '@hopcount/links';
import { NodeLoadRatios, readNodeLoads } from '@hopcount/redis';

import { createOpenMonths } from '../imports/open-months.js';
import type { JobDefinition } from '../jobs/interval-job.js';
import type { JobsDeps } from '../jobs/start-jobs.js';
import type { WorkerConfig } from '../worker.config.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** While it lacks something, codes without a link cost PostgreSQL a look-up. */
const FILTER_LOOK_MS = 5_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer than the API works on one: a purge that old has lost its process, or asked for help. */
const IDLE_PURGE_MS = 60_000;

export function maintenanceJobs(deps: JobsDeps, archive: Archive | undefined): JobDefinition[] {
  const { config, database } = deps;
  const hasSlots = config.slots !== 'off';
  const retention = new LedgerRetention(database, { ledgerDays: config.ledgerDays, archive });
  return [
    ...(hasSlots ? [measureDrift(deps)] : []),
    watchHosts(deps),
    watchSums(deps),
    watchRedisNodes(deps),
    mergeSlots(deps),
    gatherBuckets(deps),
    createPartitions(deps, retention, archive),
    finishPurges(deps, hasSlots),
    emptyPurgedLinks(deps, hasSlots),
    expireKeys(deps),
    expireHostBatches(deps),
    moveQuietHosts(deps),
    hashLongUrls(deps),
    buildLinkFilter(deps),
    expireOrphans(deps),
    expireAuditLog(deps),
    expireFeedRows(deps),
    expireVisits(deps, retention),
    giveBackUses(deps),
  ];
}

/** Holds the slots of the links visited last against their buckets; anything but 0 is a defect or damage. */
function measureDrift({ database, metrics, logger }: JobsDeps): JobDefinition {
  const work = async () => {
    const { links, drift } = await measureSlotDrift(database);
    metrics.slotDrift.set(drift);
    if (drift === 0) return;
    await noteDoubted(database, { checks: ['slots'], range: undefined });
    logger.error({ links, drift }, 'slots and buckets disagree; run hopcount verify');
  };
  return { name: 'measure-drift', intervalMs: MINUTE_MS, work };
}

/** Holds hosts against all links. */
function watchHosts({ database, metrics, logger }: JobsDeps): JobDefinition {
  const work = async () => {
    const { visits, checksums } = await measureHostDrift(database);
    metrics.hostDrift.set(visits + checksums);
    if (visits + checksums === 0) return;
    const hour = { from: bucketOf(Date.now() - HOUR_MS), to: bucketOf(Date.now() + HOUR_MS) };
    await noteDoubted(database, { checks: ['hosts'], range: hour });
    logger.error({ visits, checksums }, 'hosts and buckets disagree; run hopcount verify');
  };
  return { name: 'measure-host-drift', intervalMs: MINUTE_MS, work };
}

/** Compares some sums with the visits of the ledger each minute. The metric says whether any check found wrong sums. */
export function watchSums({
  database,
  metrics,
  logger,
}: Pick<JobsDeps, 'database' | 'metrics' | 'logger'>): JobDefinition {
  const sweep = new SumsSweep(database);
  const work = async () => {
    try {
      const [difference] = (await sweep.step())?.differences ?? [];
      if (difference !== undefined)
        logger.error({ difference }, 'sums are not those of their visits; run hopcount verify');
    } finally {
      metrics.sumsDoubted.set((await readDoubted(database)) === undefined ? 0 : 1);
    }
  };
  return { name: 'compare-sums', intervalMs: MINUTE_MS, work };
}

/** Of a cluster only. */
export function watchRedisNodes({ redis, metrics }: Pick<JobsDeps, 'redis' | 'metrics'>): JobDefinition {
  const ratios = new NodeLoadRatios();
  const work = async () => {
    const loads = ratios.look(await readNodeLoads(redis));
    // A node that left has no load.
    metrics.redisNodeLoad.reset();
    for (const { node, kind, ratio } of loads) metrics.redisNodeLoad.set({ node, kind }, ratio);
  };
  return { name: 'watch-redis-nodes', intervalMs: 5 * MINUTE_MS, work };
}

/** Merges slots nobody adds to any more, so that rows do not stay spread for ever. Two at once take different rows. */
function mergeSlots({ config, database, logger }: JobsDeps): JobDefinition {
  const merger = new SlotMerger(database, config);
  const work = async (signal: AbortSignal) => {
    const merged = await merger.merge(Date.now(), signal);
    if (merged.counters + merged.buckets + merged.scopes + merged.minutes > 0) logger.info({ merged }, 'slots merged');
  };
  return { name: 'merge-slots', intervalMs: MINUTE_MS / 2, work };
}

/** Brings the buckets of a link and closed day together, so that a question reads few pages. Two at once take different rows. */
function gatherBuckets({ database, logger }: JobsDeps): JobDefinition {
  const gatherer = new BucketGatherer(database);
  const work = async (signal: AbortSignal) => {
    const rows = await gatherer.gather(Date.now(), signal);
    if (rows > 0) logger.info({ rows }, 'buckets of closed days gathered');
  };
  return { name: 'gather-buckets', intervalMs: MINUTE_MS, work };
}

/** Keeps the ledger's months ahead of the clock, and those that LEDGER_DAYS covers open: also those that it did not cover before. */
export function createPartitions(
  {
    config,
    database,
    metrics,
    logger,
  }: Pick<JobsDeps, 'database' | 'metrics' | 'logger'> & { config: Pick<WorkerConfig, 'ledgerDays'> },
  retention: Pick<LedgerRetention, 'shutMonths'>,
  archive: Pick<Archive, 'restore'> | undefined,
): JobDefinition {
  const work = async (signal: AbortSignal) => {
    try {
      const { ledgerDays } = config;
      const created = await createMonths(database, { ledgerDays, signal });
      if (created > 0) logger.info({ created }, 'ledger partitions created');
      const openMonths = createOpenMonths({ database, archive, logger, what: 'LEDGER_DAYS covers it' });
      const shut = await openMonths(await retention.shutMonths(Date.now()), signal);
      for (const [month, why] of shut) {
        const name = new Date(month).toISOString().slice(0, 7);
        logger.warn(
          { month: name, why, ledgerDays },
          'visits of a month within LEDGER_DAYS are refused: it cannot be opened',
        );
      }
    } finally {
      metrics.missingMonths.set((await missingMonths(database)).length);
    }
  };
  return { name: 'create-partitions', intervalMs: HOUR_MS, work };
}

/** Completes purges that were cut short. Two at once take each visit once: whoever deletes the row counts it. */
function finishPurges({ database, locks, logger }: JobsDeps, hasSlots: boolean): JobDefinition {
  const purger = new VisitPurger(database, locks, { hasSlots });
  const work = async (signal: AbortSignal) => {
    const report = await purger.finishAll({ idleMs: IDLE_PURGE_MS, signal });
    if (report.finished + report.left > 0) logger.info({ report }, 'unfinished purges went on');
  };
  return { name: 'finish-purges', intervalMs: MINUTE_MS / 2, work };
}

/** Visits that came after the purge of a link that was deleted. */
function emptyPurgedLinks({ database, locks, logger }: JobsDeps, hasSlots: boolean): JobDefinition {
  const purger = new VisitPurger(database, locks, { hasSlots });
  const work = async (signal: AbortSignal) => {
    const deleted = await purger.emptyPurgedLinks(signal);
    if (deleted > 0) logger.info({ deleted }, 'late visits of purged links deleted');
  };
  return { name: 'empty-purged-links', intervalMs: HOUR_MS, work };
}

/** Requests that can be made again as if they were new. */
function expireKeys({ database, logger }: JobsDeps): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const expired = await expireIdempotencyKeys(database, { signal });
    if (expired > 0) logger.info({ expired }, 'idempotency keys expired');
  };
  return { name: 'expire-idempotency-keys', intervalMs: 5 * MINUTE_MS, work };
}

/** Batches of counts that cannot be reversed any more, and those whose key may be used again. */
function expireHostBatches({ database, logger }: JobsDeps): JobDefinition {
  const batches = new HostBatches(database);
  const work = async (signal: AbortSignal) => {
    const report = await batches.expire(signal);
    if (report.ended + report.expired > 0) logger.info(report, 'batches of counts of hosts ended or expired');
  };
  return { name: 'expire-host-batches', intervalMs: HOUR_MS, work };
}

/** Hosts without visits for 30 days: out of what is asked and added to all the time. */
function moveQuietHosts({ database, logger }: JobsDeps): JobDefinition {
  const quiet = new QuietHosts(database);
  const work = async (signal: AbortSignal) => {
    const { rows, failed } = await quiet.move(signal);
    if (rows > 0) logger.info({ rows }, 'quarters of an hour of quiet hosts moved');
    if (failed > 0)
      logger.error(
        { failed },
        'quarters of some quiet hosts could not be moved; they are tried again in the next round',
      );
  };
  return { name: 'move-quiet-hosts', intervalMs: 12 * HOUR_MS, work };
}

/** For `findIfExists`, which finds links without a hash by the exact text of their long URL only. */
function hashLongUrls({ database, logger }: JobsDeps): JobDefinition {
  const work = async (signal: AbortSignal) => {
    const hashed = await hashUrls(database, signal);
    if (hashed > 0) logger.info({ hashed }, 'long URLs of links hashed');
  };
  return { name: 'hash-urls', intervalMs: MINUTE_MS, work };
}

/** Makes the filter of codes and long URLs anew that Redis lost, that lacks something, is old or too small. */
function buildLinkFilter({ config, database, redis, logger }: JobsDeps): JobDefinition {
  const builder = new FilterBuilder(database, redis);
  const work = async (signal: AbortSignal) => {
    if (!config.linkFilter) return builder.stop();
    const outcome = await builder.run(signal);
    if (outcome === 'built') logger.info('the filter of codes and long URLs was made anew');
    if (outcome === 'failed') logger.warn('the filter of codes and long URLs could not be made; it is tried again');
  };
  return { name: 'build-link-filter', intervalMs: FILTER_LOOK_MS, work };
}

/** Deletes orphan visits beyond their age and number, and those a purge met on their way. */
function expireOrphans({ config, database, logger }: JobsDeps): JobDefinition {
  const orphans = new OrphanVisits(database);
  const { orphanRetentionDays: days, orphanVisitsKept: maxRows } = config;
  const work = async (signal: AbortSignal) => {
    const deleted = await orphans.expire({ beforeMs: Date.now() - days * DAY_MS, maxRows, signal });
    if (deleted > 0) logger.info({ deleted }, 'orphan visits deleted');
  };
  return { name: 'expire-orphans', intervalMs: MINUTE_MS, work };
}

/** Who changed what is kept for AUDIT_DAYS, as long as AUDIT_ROWS are enough for that. */
export function expireAuditLog({
  config,
  database,
  metrics,
  logger,
}: Pick<JobsDeps, 'database' | 'metrics' | 'logger'> & {
  config: Pick<WorkerConfig, 'auditDays' | 'auditRows'>;
}): JobDefinition {
  const log = new AuditLog(database);
  const { auditDays: days, auditRows: maxRows } = config;
  const work = async (signal: AbortSignal) => {
    const { old, surplus } = await log.expire({ beforeMs: Date.now() - days * DAY_MS, maxRows, signal });
    if (old > 0) logger.info({ deleted: old }, 'rows of the audit log beyond AUDIT_DAYS deleted');
    metrics.auditRowsDropped.inc(surplus);
    if (surplus > 0)
      logger.warn(
        { deleted: surplus },
        'rows of the audit log went before their AUDIT_DAYS: AUDIT_ROWS newer ones are there',
      );
  };
  return { name: 'expire-audit-log', intervalMs: 5 * MINUTE_MS, work };
}

/** Deletes what nobody who follows visits may ask for any more. */
function expireFeedRows({ database }: JobsDeps): JobDefinition {
  return { name: 'expire-feed', intervalMs: MINUTE_MS, work: () => expireFeed(database) };
}

/** Uses of links with a limit whose visit will never be counted. Two at once take different ones. */
function giveBackUses({ config, endedUses, logger }: JobsDeps): JobDefinition {
  const work = async () => {
    const uses = await endedUses.giveBack();
    if (uses > 0) logger.info({ uses }, 'uses of links with a limit given back: their visits were never made');
  };
  const waitsFor = 'EXISTS (SELECT FROM link_uses WHERE ended_at IS NOT NULL)';
  return { name: 'give-back-uses', intervalMs: config.reconcileIntervalMs, waitsFor, work };
}

/** Keeps the ledger to its retention: months, then rows that are of use only beside them. */
export function expireVisits(
  { metrics, logger }: Pick<JobsDeps, 'metrics' | 'logger'>,
  retention: Pick<LedgerRetention, 'dropMonths' | 'overdueMonths' | 'deleteRows'>,
): JobDefinition {
  const work = async (signal: AbortSignal) => {
    try {
      for (const { month, kept } of await retention.dropMonths(Date.now(), { signal })) {
        if (kept === null) logger.info({ month }, 'a month of the ledger was dropped: the archive has it');
        else logger.warn({ month, kept }, 'a month beyond LEDGER_DAYS stays in the ledger; it is tried again');
      }
    } finally {
      // Also while a month cannot be dropped, somebody reading it for hours.
      const deleted = await retention.deleteRows(Date.now(), signal);
      if (Object.keys(deleted).length > 0) logger.info({ deleted }, 'rows beyond the retention deleted');
      metrics.overdueMonths.set((await retention.overdueMonths(Date.now())).length);
    }
  };
  return { name: 'expire-visits', intervalMs: HOUR_MS, work };
}
