import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DistinctIds } from './distinct-ids.js';

const POINTS = 5;

async function count(visits: readonly { point: number; id: bigint }[], piece = visits.length) {
  const ids = new DistinctIds(16);
  for (let n = 0; n < visits.length; n += piece) {
    const some = visits.slice(n, n + piece);
    ids.add(
      Int32Array.from(some, ({ point }) => point),
      BigInt64Array.from(some, ({ id }) => id),
    );
  }
  const { total, points } = await ids.count(POINTS);
  return { total, points: [...points] };
}

function expected(visits: readonly { point: number; id: bigint }[]) {
  const counted = visits.filter(({ point }) => point >= 0);
  const distinct = (some: typeof counted) => new Set(some.map(({ id }) => id)).size;
  const points = Array.from({ length: POINTS }, (_, n) => distinct(counted.filter(({ point }) => point === n)));
  return { total: distinct(counted), points };
}

describe('distinct ids of a series', () => {
  const point = fc.integer({ min: -1, max: POINTS - 1 });
  const id = fc.oneof(
    fc.bigInt({ min: -4n, max: 4n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    // Halves alike.
    fc.constantFrom(1n, 1n << 32n, (1n << 32n) + 1n, -1n, -(1n << 32n), 0xffffffffn),
  );

  it('are as many as sets of them say, in any order', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.record({ point, id }), { maxLength: 200 }), async (visits) => {
        expect(await count(visits, 7)).toEqual(expected(visits));
      }),
    ));

  it('are as many where there are more than one part holds, also where those of a part are', async () => {
    const spread = Array.from({ length: 60_000 }, (_, n) => ({
      point: n % POINTS,
      id: (BigInt((n * 7919) % 25_013) * 0x9e3779b97f4a7c15n) & (2n ** 63n - 1n),
    }));
    const alike = Array.from({ length: 20_000 }, (_, n) => ({ point: n % POINTS, id: BigInt(n % 9_001) << 20n }));
    expect(await count(spread, 2_048)).toEqual(expected(spread));
    expect(await count([...spread, ...alike], 2_048)).toEqual(expected([...spread, ...alike]));
  });

  it('are none where there is nothing', async () => {
    expect(await count([])).toEqual({ total: 0, points: [0, 0, 0, 0, 0] });
  });
});
