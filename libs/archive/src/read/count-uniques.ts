import type { DuckSession, NumberColumn } from '../duckdb/duck-database.js';
import { DistinctIds } from './distinct-ids.js';
import type { SeriesPlaces } from './series-places.js';

export interface Uniques {
  visitors: number;
  ips: number;
}

export interface SeriesUniques {
  total: Uniques;
  /** Points without any do not appear. */
  points: Map<number, Uniques>;
}

/** Of more ids some are counted, then others, by their lowest bits: these take up to 100 MB. */
export const IDS_AT_ONCE = 2_000_000;

/** Distinct visitors and IPs, in all and by point, of SELECTs of place, visitor and ip (or null). */
export class UniqueIds {
  readonly #visitors: DistinctIds;
  readonly #ips: DistinctIds;

  /** @param room for about so many rows */
  constructor(
    private readonly places: SeriesPlaces,
    room: number,
  ) {
    this.#visitors = new DistinctIds(room);
    this.#ips = new DistinctIds(room);
  }

  /** @returns how many rows */
  async read(session: DuckSession, select: string): Promise<number> {
    let rows = 0;
    await session.eachPiece(`SELECT place::INTEGER, visitor::BIGINT, ip::BIGINT FROM (${select})`, (columns) => {
      const [places, visitors, ips] = columns as [NumberColumn, NumberColumn, NumberColumn];
      const points = this.places.toPoints(places.items as Int32Array);
      this.#visitors.add(pointsOf(visitors, points), visitors.items as BigInt64Array);
      this.#ips.add(pointsOf(ips, points), ips.items as BigInt64Array);
      rows += points.length;
    });
    return rows;
  }

  async count(): Promise<SeriesUniques> {
    const { numberOfPoints } = this.places;
    const visitors = await this.#visitors.count(numberOfPoints);
    const ips = await this.#ips.count(numberOfPoints);
    const points = new Map<number, Uniques>();
    for (let point = 0; point < numberOfPoints; point += 1) {
      const uniques = { visitors: visitors.points[point] ?? 0, ips: ips.points[point] ?? 0 };
      if (uniques.visitors > 0 || uniques.ips > 0) points.set(point, uniques);
    }
    return { total: { visitors: visitors.total, ips: ips.total }, points };
  }
}

/** The same of one SELECT of any number of rows: of more than so many, some ids after the others. */
export async function countUniques(
  session: DuckSession,
  { select, rows }: { select: string; rows: number },
  places: SeriesPlaces,
  idsAtOnce = IDS_AT_ONCE,
): Promise<SeriesUniques> {
  const parts = 2 ** Math.max(0, Math.ceil(Math.log2(rows / idsAtOnce)));
  if (parts === 1) {
    const ids = new UniqueIds(places, rows);
    await ids.read(session, select);
    return ids.count();
  }
  await session.run(`CREATE TEMP TABLE everyone AS ${select}`);
  const sum: SeriesUniques = { total: { visitors: 0, ips: 0 }, points: new Map() };
  for (let part = 0; part < parts; part += 1) {
    const ids = new UniqueIds(places, Math.ceil(rows / parts));
    const ofPart = (id: string) => `CASE WHEN ${id} & ${parts - 1} = ${part} THEN ${id} END AS ${id}`;
    await ids.read(session, `SELECT place, ${ofPart('visitor')}, ${ofPart('ip')} FROM everyone`);
    addTo(sum, await ids.count());
  }
  return sum;
}

function addTo(sum: SeriesUniques, { total, points }: SeriesUniques): void {
  sum.total = added(sum.total, total);
  for (const [point, uniques] of points) sum.points.set(point, added(sum.points.get(point), uniques));
}

function added(sum: Uniques = { visitors: 0, ips: 0 }, { visitors, ips }: Uniques): Uniques {
  return { visitors: sum.visitors + visitors, ips: sum.ips + ips };
}

/** Where an id is null, none. */
function pointsOf({ valid }: NumberColumn, points: Int32Array): Int32Array {
  if (valid === undefined) return points;
  return points.map((point, n) => ((((valid[n >>> 5] as number) >>> (n & 31)) & 1) === 1 ? point : -1));
}
