import { describe, expect, it } from '@jest/globals';

import { listSites } from './list-sites.js';
import { mostExcess } from './most-excess.js';

/** The same numbers for a seed, on every machine. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Row {
  name: string;
  visits: number;
  own: number;
}

const byVisits = (one: Row, other: Row) => other.visits - one.visits;

describe('a list of sites', () => {
  const sum = (rows: readonly { visits: number }[]) => rows.reduce((total, { visits }) => total + visits, 0);
  const suffixes = 300;
  const isSuffix = (name: string) => name.split('.').every((label) => label.startsWith('s'));

  it.each([1, 2, 3])('has the largest, of however many suffixes, in few questions (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const below = new Map<string | null, Row[]>();
    const sites: Row[] = [];
    const makeSites = (suffix: string) =>
      Array.from({ length: random(random(10) === 0 ? 300 : 15) }, (_, nth) => {
        const visits = 1 + random(1_000);
        return { name: `${suffix}.n${nth}`, visits, own: visits };
      });
    const makeSuffix = (name: string, further: readonly Row[]): Row => {
      const found = makeSites(name);
      const own = random(3) === 0 ? 1 + random(500) : 0;
      sites.push(...found, ...(own === 0 ? [] : [{ name, visits: own, own }]));
      below.set(name, [...found, ...further].sort(byVisits));
      return { name, own, visits: own + sum([...found, ...further]) };
    };
    const top = Array.from({ length: suffixes }, (_, nth) => {
      const further = random(5) === 0 ? [makeSuffix(`s${nth}.s0`, [])] : [];
      return makeSuffix(`s${nth}`, further);
    });
    const alone = { name: 'localhost', visits: 700, own: 700 };
    sites.push(alone);
    below.set(null, [...top, alone].filter(({ visits }) => visits > 0).sort(byVisits));

    let questions = 0;
    const read = (asked: readonly { of: string | null; after: Row | undefined }[], limit: number) => {
      questions += 1;
      return Promise.resolve(
        asked.map(({ of, after }) => {
          const rows = below.get(of) ?? [];
          const from = after === undefined ? 0 : rows.findIndex(({ name }) => name === after.name) + 1;
          return rows.slice(from, from + limit);
        }),
      );
    };
    const ofSuffix = (row: Row) => (row.own === 0 ? null : { ...row, visits: row.own });
    for (const limit of [1, 20, 500]) {
      questions = 0;
      const listed = await listSites(limit, { isSuffix, read, alone: ofSuffix });
      const expected = sites.toSorted(byVisits).slice(0, limit);
      expect(listed.map(({ visits }) => visits)).toEqual(expected.map(({ visits }) => visits));
      expect(new Set(listed.map(({ name }) => name)).size).toBe(expected.length);
      // One for each suffix would be hundreds.
      expect(questions).toBeLessThan(100);
    }
  });
});

describe('a list by excess', () => {
  it.each([1, 2, 3])('is that of all, page by page, and reads what is usual of few (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const rows = Array.from({ length: 950 }, (_, nth) => ({ name: `n${nth}`, window: 1 + random(random(5) ** 4 + 2) }));
    rows.sort((one, other) => other.window - one.window);
    const usual = new Map(rows.map(({ name, window }) => [name, random(4) === 0 ? null : random(window * 2) + 0.3]));
    const excessOf = (row: { name: string; window: number }) => Math.round(row.window - (usual.get(row.name) ?? 0));
    const expected = rows
      .map((row) => ({ name: row.name, excess: excessOf(row) }))
      .filter(({ excess }) => excess > 0)
      .sort((one, other) => other.excess - one.excess || (one.name < other.name ? -1 : 1));
    const reads: number[] = [];
    const found: { name: string; excess: number }[] = [];
    for (let after: { sum: number; name: string } | null = null; ;) {
      let read = 0;
      const page: { name: string; excess: number }[] = await mostExcess(
        rows,
        (some) => {
          read += some.length;
          return Promise.resolve(some.map(({ name }) => usual.get(name) ?? null));
        },
        { after, limit: 40 },
      );
      reads.push(read);
      found.push(...page.map(({ name, excess }) => ({ name, excess })));
      const last = page.at(-1);
      if (page.length < 40 || last === undefined) break;
      after = { sum: last.excess, name: last.name };
    }
    expect(found).toEqual(expected);
    expect(reads[0]).toBeLessThan(500);
  });
});
