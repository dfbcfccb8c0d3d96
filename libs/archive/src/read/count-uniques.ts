import type { DuckSession } from '../duckdb/duck-database.js';
import { DistinctIds } from './distinct-ids.js';

export interface Uniques {
  visitors: number;
  ips: number;
}

/** Of more ids some are counted, then others, by their lowest bits: these take up to 100 MB. */
const IDS_AT_ONCE = 2_000_000;

/**
 * Distinct visitors and IPs of a table with `point` (0-based), `visitor` and `ip` (or null), in all and by point. Points without
 * any do not appear.
 */
export async function countUniques(
  session: DuckSession,
  table: string,
  numberOfPoints: number,
  idsAtOnce = IDS_AT_ONCE,
): Promise<{ total: Uniques; points: Map<number, Uniques> }> {
  const [row] = await session.rows<{ visits: number }>(`SELECT count(*)::DOUBLE AS visits FROM ${table}`);
  const visits = row?.visits ?? 0;
  const parts = 2 ** Math.max(0, Math.ceil(Math.log2(visits / idsAtOnce)));
  const total = { visitors: 0, ips: 0 };
  const points = new Map<number, Uniques>();
  for (let part = 0; part < parts; part += 1) {
    const ids = await readIds(session, table, { part, parts, room: Math.ceil(visits / parts) });
    for (const name of ['visitors', 'ips'] as const) {
      const counted = await ids[name].count(numberOfPoints);
      total[name] += counted.total;
      for (const [point, distinct] of counted.points.entries()) {
        if (distinct === 0) continue;
        const uniques = points.get(point) ?? { visitors: 0, ips: 0 };
        uniques[name] += distinct;
        points.set(point, uniques);
      }
    }
  }
  return { total, points };
}

/** Those whose lowest bits are `part`. */
async function readIds(
  session: DuckSession,
  table: string,
  { part, parts, room }: { part: number; parts: number; room: number },
) {
  const isOther = (id: string) => (parts === 1 ? '' : `OR ${id} & ${parts - 1} <> ${part}`);
  const select = (id: string) =>
    `(CASE WHEN ${id} IS NULL ${isOther(id)} THEN -1 ELSE point END)::INTEGER, coalesce(${id}, 0)::BIGINT`;
  const ids = { visitors: new DistinctIds(room), ips: new DistinctIds(room) };
  await session.eachPiece(
    `SELECT ${select('visitor')}, ${select('ip')} FROM ${table}`,
    ([ofVisitors, visitors, ofIps, ips]) => {
      ids.visitors.add(ofVisitors as Int32Array, visitors as BigInt64Array);
      ids.ips.add(ofIps as Int32Array, ips as BigInt64Array);
    },
  );
  return ids;
}
