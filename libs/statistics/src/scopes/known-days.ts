import { trafficOf, type Uniques, type VisitsOf } from '@hopcount/archive';
import { VISIT_CLASSES } from '@hopcount/contracts';
import { DAY_MS, HOUR_MS, type InstantRange, isBucketStart, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

/** As many as a series may have; each costs a look at the day's buckets. */
const DAYS_AT_MOST = 4_000;
/** A day of any zone, with its transitions. */
const [SHORTEST, LONGEST] = [DAY_MS - 2 * HOUR_MS, DAY_MS + 2 * HOUR_MS];

/**
 * Distinct visitors and IPs by point (0-based), of those points that are a day whose aggregate says what the buckets of
 * the scope say in this snapshot, or have no visit at all. Days are those of the reporting zone.
 */
export async function readKnownDays(
  tx: Transaction,
  of: VisitsOf,
  { points, classes }: { points: readonly InstantRange[]; classes: readonly number[] },
): Promise<Map<number, Uniques>> {
  const [scope, id] = scopeOfDays(of);
  const name = nameOf(classes);
  const isDay = ({ from, to }: InstantRange) =>
    to - from >= SHORTEST && to - from <= LONGEST && isBucketStart(from) && isBucketStart(to);
  if (scope === undefined || name === undefined || points.length > DAYS_AT_MOST || !points.some(isDay))
    return new Map();
  const days = points.flatMap((range, point) => (isDay(range) ? [{ ...range, point }] : []));
  const [row] = await tx.query<{ known: ({ point: number } & Uniques)[] }>(
    `SELECT coalesce(json_agg(json_build_object('point', day.point, 'visitors', coalesce(part.visitors, 0), 'ips', coalesce(part.ips, 0))), '[]') AS known
     FROM unnest($1::integer[], $2::timestamptz[], $3::timestamptz[]) AS day (point, day_start, day_end)
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(visits), 0) AS visits, coalesce(bit_xor(checksum), 0) AS checksum
       FROM ${trafficOf(of)} AND bucket >= day.day_start AND bucket < day.day_end
     ) AS counted
     LEFT JOIN day_aggregates AS whole
       ON (whole.scope, whole.scope_id, whole.day_start, whole.day_end, whole.class) = ($4, $5, day.day_start, day.day_end, 'all')
     LEFT JOIN day_aggregates AS part
       ON (part.scope, part.scope_id, part.day_start, part.day_end, part.class) = ($4, $5, day.day_start, day.day_end, $6)
     WHERE (coalesce(whole.visits, 0), coalesce(whole.checksum, 0)) = (counted.visits, counted.checksum)`,
    [
      days.map(({ point }) => point),
      days.map(({ from }) => toIso(from)),
      days.map(({ to }) => toIso(to)),
      scope,
      id,
      name,
    ],
  );
  return new Map((row?.known ?? []).map(({ point, ...uniques }) => [point, uniques]));
}

/** Under which scope and id days are kept; only the busiest links have some. */
function scopeOfDays({ traffic, links }: VisitsOf): [string, string] | [undefined, undefined] {
  if (traffic !== undefined) return [traffic.scope, traffic.id];
  const [id] = links !== undefined && 'ids' in links && links.ids.length === 1 ? links.ids : [];
  return id === undefined ? [undefined, undefined] : ['link', id];
}

/** What day_aggregates calls the classes; undefined: they are several, whose visitors cannot be added up. */
function nameOf(classes: readonly number[]): string | undefined {
  if (classes.length === VISIT_CLASSES.length) return 'all';
  return classes.length === 1 ? VISIT_CLASSES[classes[0] ?? -1] : undefined;
}
