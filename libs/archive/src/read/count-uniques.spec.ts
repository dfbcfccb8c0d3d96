import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BUCKET_MS } from '@hopcount/ledger';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { DuckDatabase, type DuckSession } from '../duckdb/duck-database.js';
import { countUniques, type Uniques } from './count-uniques.js';
import { SeriesPlaces } from './series-places.js';

const POINTS = 7;

describe('visitors and IPs of a series', () => {
  let folder: string;
  let duck: DuckDatabase;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'count-uniques-'));
    duck = new DuckDatabase({ memoryMb: 128, threads: 2, spillFolder: join(folder, 'spill') });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Some visits have no visitor, some no IP, some neither; no visit lies at the last point. */
  const visits = (count: number) => `CREATE TEMP TABLE visits AS
    SELECT (n * 7 % ${POINTS - 1})::INTEGER AS point,
      CASE WHEN n % 11 > 0 THEN (hash(n * n % 5003) >> 1)::BIGINT - 4611686018427387904 END AS visitor,
      CASE WHEN n % 13 > 1 THEN (hash(n % 2999) >> 1)::BIGINT END AS ip
    FROM range(${count}) AS numbers (n)`;
  const SELECT = 'SELECT point AS place, visitor, ip FROM visits';
  /** Each bucket is a point. */
  const starts = Array.from({ length: POINTS }, (_, n) => n * BUCKET_MS);
  const places = new SeriesPlaces({ from: 0, to: POINTS * BUCKET_MS }, starts);
  const DISTINCT = 'count(DISTINCT visitor)::DOUBLE AS visitors, count(DISTINCT ip)::DOUBLE AS ips';

  async function expected(session: DuckSession) {
    const points = await session.rows<Uniques & { point: number }>(
      `SELECT point, ${DISTINCT} FROM visits GROUP BY point ORDER BY point`,
    );
    const [total] = await session.rows<Uniques>(`SELECT ${DISTINCT} FROM visits`);
    return { total, points: points.map(({ point, ...uniques }) => [point, uniques]) };
  }

  it.each([
    ['at once', undefined],
    ['some after the others', 3_000],
  ])('are what SQL says, counted %s', (_, idsAtOnce) =>
    duck.session(async (session) => {
      await session.run(visits(20_000));
      const { total, points } = await countUniques(session, { select: SELECT, rows: 20_000 }, places, idsAtOnce);
      expect({ total, points: [...points].sort(([a], [b]) => a - b) }).toEqual(await expected(session));
    }),
  );

  it('are none without a visit', () =>
    duck.session(async (session) => {
      await session.run(visits(0));
      expect(await countUniques(session, { select: SELECT, rows: 0 }, places)).toEqual({
        total: { visitors: 0, ips: 0 },
        points: new Map(),
      });
    }));
});
