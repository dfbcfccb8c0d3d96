import { loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { CORRECTIONS_SLOT } from '../commit/sum-scopes.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import { toIso } from '../buckets.js';

const DELETE_VISITS = loadSql(import.meta.url, 'sql/delete-visits.sql');
const SUBTRACT_TRAFFIC = loadSql(import.meta.url, 'sql/subtract-traffic.sql');
const SUBTRACT_SCOPES = loadSql(import.meta.url, 'sql/subtract-scopes.sql');
const DELETE_EXPIRED_BUCKETS = loadSql(import.meta.url, 'sql/delete-expired-buckets.sql');
const SUBTRACT_SLOTS = loadSql(import.meta.url, 'sql/subtract-slots.sql');
const RECORD_CHANGE = 'INSERT INTO link_changes (link_ids) VALUES ($1::bigint[])';
const KEEP_USED = loadSql(import.meta.url, 'sql/keep-used.sql');
const DELETE_FOLDS = loadSql(import.meta.url, 'sql/delete-folds.sql');
const FINISH_PURGE = loadSql(import.meta.url, 'sql/finish-purge.sql');

/** Of one statement: a file may lose visits of a million buckets, and a statement's time is limited. */
const LOSSES_AT_ONCE = 10_000;

export interface Purge {
  linkId: string;
  /** As PostgreSQL writes it: its microseconds would not survive a Date. */
  before: string;
}

/** What a link loses; not nothing. */
interface LinkLosses {
  linkId: string;
  losses: readonly BucketLoss[];
}

/** What a bucket loses of a class and a group. */
export interface BucketLoss {
  bucket: Date;
  class: number;
  /** '': none; null: only files know it. */
  groupId: string | null;
  visits: number;
  checksum: string;
}

/**
 * Takes up to `limit` visits out of the ledger and exactly those out of every sum, in the order in which
 * commits touch the tables. What it touches of a link's sums it leaves without slots. source_traffic stays: it says what was made durable, not what is kept.
 * @returns how many visits went
 */
export async function purgeSome(tx: Transaction, purge: Purge, limit: number, hasSlots: boolean): Promise<number> {
  const losses = await tx.query<BucketLoss>(DELETE_VISITS, [purge.linkId, purge.before, limit]);
  if (losses.length === 0) return 0;
  failpoint('purge.mid-transaction');
  return takeAway(tx, [{ linkId: purge.linkId, losses }], hasSlots);
}

/** Out of every sum of links, which ascend. @returns how many visits went */
export async function takeAway(tx: Transaction, parts: readonly LinkLosses[], hasSlots: boolean): Promise<number> {
  for (const some of portions(rowsOf(parts))) {
    const { links, buckets, classes, visits, checksums } = columnsOf(some);
    await tx.query(SUBTRACT_TRAFFIC, [links, buckets, classes, visits, checksums]);
  }
  return forget(tx, parts, hasSlots);
}

/** Of months that were dropped, all at once: else files would hold less than the buckets say. @returns how many visits went */
export async function purgeExpired(tx: Transaction, purge: Purge, hasSlots: boolean): Promise<number> {
  const losses = await tx.query<BucketLoss>(DELETE_EXPIRED_BUCKETS, [purge.linkId, purge.before]);
  return losses.length === 0 ? 0 : forget(tx, [{ linkId: purge.linkId, losses }], hasSlots);
}

/** The last transaction of a purge. @returns how many visits went of months dropped meanwhile */
export async function purgeRest(tx: Transaction, purge: Purge, hasSlots: boolean): Promise<number> {
  const gone = await purgeExpired(tx, purge, hasSlots);
  // Left where a merge of slots took a bucket's row while it was purged.
  await tx.query('DELETE FROM link_traffic WHERE link_id = $1 AND visits = 0 AND checksum = 0', [purge.linkId]);
  await tx.query(FINISH_PURGE, [purge.linkId, purge.before]);
  return gone;
}

/**
 * Table by table, as commits go through them: link by link, two with the same links would wait for each other. In portions
 * two may all the same, in the rows of scopes: PostgreSQL ends one, and its transaction is run again.
 */
async function forget(tx: Transaction, parts: readonly LinkLosses[], hasSlots: boolean): Promise<number> {
  for (const some of portions(rowsOf(parts))) {
    const { links, buckets, classes, groups, visits, checksums } = columnsOf(some);
    await tx.query(SUBTRACT_SCOPES, [links, buckets, classes, groups, visits, checksums, CORRECTIONS_SLOT]);
  }
  const links = [...portions(parts.map(linkLoss))].map((some) => ({
    ids: some.map(({ linkId }) => linkId),
    people: some.map(({ people }) => people),
    bots: some.map(({ bots }) => bots),
    first: some.map(({ first }) => first),
    last: some.map(({ last }) => last),
    gone: some.map(({ people, bots }) => people + bots),
  }));
  if (hasSlots) for (const { ids, people, bots } of links) await tx.query(SUBTRACT_SLOTS, [ids, people, bots]);
  for (const { ids } of links) await tx.query(RECORD_CHANGE, [ids]);
  for (const { ids, first, last } of links) await tx.query(DELETE_FOLDS, [ids, first, last]);
  for (const { ids, gone } of links) await tx.query(KEEP_USED, [ids, gone]);
  return links.flatMap(({ gone }) => gone).reduce((sum, visits) => sum + visits, 0);
}

/** Those of one statement. */
export function* portions<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += LOSSES_AT_ONCE) yield rows.slice(from, from + LOSSES_AT_ONCE);
}

type LossOfLink = BucketLoss & { linkId: string };

function rowsOf(parts: readonly LinkLosses[]): LossOfLink[] {
  return parts.flatMap(({ linkId, losses }) => losses.map((loss) => ({ linkId, ...loss })));
}

/** Parallel arrays. */
function columnsOf(rows: readonly LossOfLink[]) {
  return {
    links: rows.map((row) => row.linkId),
    buckets: rows.map((row) => toIso(row.bucket.getTime())),
    classes: rows.map((row) => row.class),
    groups: rows.map((row) => row.groupId),
    visits: rows.map((row) => row.visits),
    checksums: rows.map((row) => row.checksum),
  };
}

/** What all of it is for the link: visits of people and of bots, from the first bucket to the last. */
function linkLoss({ linkId, losses }: LinkLosses) {
  const times = losses.map(({ bucket }) => bucket.getTime());
  return {
    linkId,
    people: count(losses, false),
    bots: count(losses, true),
    first: toIso(times.reduce((a, b) => Math.min(a, b))),
    last: toIso(times.reduce((a, b) => Math.max(a, b))),
  };
}

function count(losses: readonly BucketLoss[], isBot: boolean): number {
  const some = losses.filter((loss) => BOT_CLASSES.includes(loss.class) === isBot);
  return some.reduce((visits, loss) => visits + loss.visits, 0);
}
