import { randomBytes } from 'node:crypto';

import { DIMENSIONS, type Dimension, VISIT_CLASSES } from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';

import { floorTo, HOUR_MS } from './buckets.js';
import { enrichedVisit } from './enriched-visit.spec-helpers.js';
import type { EnrichedVisit } from './commit/enriched-visit.js';
import { PartitionCheckpoints } from './commit/partition-checkpoints.js';
import { VisitCommitter } from './commit/visit-committer.js';
import { foldHour } from './fold/fold-hour.js';

/** Reproducible choices (mulberry32), so that a failing history can be had again. */
export function randomSource(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { next, below, pick };
}

export type RandomSource = ReturnType<typeof randomSource>;

/** As if every link had been hot all the time. */
export async function foldAllHours(database: Database): Promise<void> {
  const hours = await database.query<{ link_id: string; hour: Date }>(
    `SELECT DISTINCT link_id, date_trunc('hour', bucket) AS hour FROM link_traffic`,
  );
  for (const { link_id: linkId, hour } of hours) await foldHour(database, linkId, hour.getTime());
}

/** An event id of that very millisecond. */
export function eventIdAt(atMs: number): string {
  const random = randomBytes(10);
  random[0] = ((random[0] ?? 0) & 0x0f) | 0x70;
  random[2] = ((random[2] ?? 0) & 0x3f) | 0x80;
  const hex = atMs.toString(16).padStart(12, '0') + random.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const TARGETS = ['example.com', 'a.example.com', 'b.example.com', '10.0.0.1', 'example.org', '~unknown'];

export function randomVisit(random: RandomSource, linkId: string, atMs: number): EnrichedVisit {
  const optedOut = random.below(20) === 0;
  return enrichedVisit({
    eventId: eventIdAt(atMs),
    linkId,
    class: optedOut ? 'opted-out' : random.pick(VISIT_CLASSES.slice(0, 4)),
    visitor: optedOut ? null : String(random.below(40) - 20),
    ip: optedOut ? null : String(random.below(15) * 1_000_000_007),
    ...random.pick([
      { country: 'FR', region: 'Île-de-France', city: 'Paris' },
      { country: 'US', region: 'Texas', city: 'Paris' },
      { country: 'DE', region: 'Berlin', city: 'Berlin' },
      { country: 'DE', region: 'unknown', city: 'unknown' },
      { country: 'unknown', region: 'unknown', city: 'unknown' },
    ]),
    os: random.pick(['Linux', 'Windows', 'iOS']),
    browser: random.pick(['Firefox', 'Chrome']),
    device: random.pick(['desktop', 'mobile']),
    referrerHost: random.pick(['direct', 'example.org', 'news.example']),
    language: random.pick(['de', 'en', 'unknown']),
    targetHost: TARGETS[atMs % TARGETS.length] ?? '',
    shortHost: atMs % 4 === 0 ? 't.test' : 's.test',
    source: random.pick(['gw-a', 'gw-b']),
  });
}

/**
 * Half of the visits at random, half within a minute of the given instants, where mistakes live.
 * @param range with `hoursApart` those at random lie in hours so far apart: each hour is a file once it is sealed
 */
export function randomHistory(
  random: RandomSource,
  linkId: string,
  range: { from: number; to: number; hoursApart?: number },
  count: number,
  edges: readonly number[] = [],
): EnrichedVisit[] {
  const { from, to, hoursApart } = range;
  const anywhere = () => {
    if (hoursApart === undefined) return from + random.below(to - from);
    const hour = floorTo(from, HOUR_MS) + hoursApart * HOUR_MS * random.below((to - from) / HOUR_MS / hoursApart);
    return Math.min(Math.max(hour + random.below(HOUR_MS), from), to - 1);
  };
  return Array.from({ length: count }, () => {
    const atEdge = edges.length > 0 && random.below(2) === 0;
    const atMs = atEdge ? random.pick(edges) + random.pick([-60_000, -1, 0, 1, 60_000]) : anywhere();
    return randomVisit(random, linkId, atMs);
  });
}

/** Counts visits as the consumer does. */
export async function openLedger(database: Database) {
  const committer = new VisitCommitter(database, { slots: 4 });
  let checkpoint = await new PartitionCheckpoints(database).takeOwnership(
    { group: 'statistics-spec', topic: 'visits', partition: 0 },
    'spec',
  );
  return async (visits: readonly EnrichedVisit[]) => {
    const nextOffset = checkpoint.nextOffset + BigInt(visits.length);
    const result = await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits });
    checkpoint = result.checkpoint;
    return result;
  };
}

/** What the reader must answer, counted the slow and obvious way. */
export function bruteForce(visits: readonly EnrichedVisit[], from: number, to: number) {
  const inside = visits.filter((visit) => visit.occurredAtMs >= from && visit.occurredAtMs < to);
  return {
    ...sizes(inside),
    byClass: Object.fromEntries(VISIT_CLASSES.map((name) => [name, inside.filter((v) => v.class === name).length])),
    dimensions: Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, tally(inside, dimension)])),
  };
}

/** The same for the points of a series. */
export function bruteForceSeries(visits: readonly EnrichedVisit[], starts: readonly number[], to: number) {
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? to;
    return sizes(visits.filter((visit) => visit.occurredAtMs >= start && visit.occurredAtMs < end));
  });
}

function sizes(visits: readonly EnrichedVisit[]) {
  const distinct = (values: (string | null)[]) => new Set(values.filter((value) => value !== null)).size;
  return {
    visits: visits.length,
    visitors: distinct(visits.map((visit) => visit.visitor)),
    ips: distinct(visits.map((visit) => visit.ip)),
  };
}

function tally(visits: readonly EnrichedVisit[], dimension: Dimension) {
  const counts = new Map<string, number>();
  for (const visit of visits) {
    const value = valueOf(visit, dimension);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, visits: count }))
    .sort((a, b) => b.visits - a.visits || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
}

function valueOf(visit: EnrichedVisit, dimension: Dimension): string {
  if (dimension === 'referrer') return visit.referrerHost;
  if ((dimension === 'city' || dimension === 'region') && visit[dimension] !== 'unknown') {
    return `${visit[dimension]}, ${visit.country}`;
  }
  return visit[dimension];
}
