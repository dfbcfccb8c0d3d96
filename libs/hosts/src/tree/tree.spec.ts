import { HOST_SCOPES, type HostScope, REST_HOST } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ancestorsOf, parentOf } from '../names/labels.js';
import { siteOf } from '../names/site-of.js';
import { HostTree } from './host-tree.js';
import { type HostRow, listBelow, listChildren, listSites } from './list-hosts.js';
import { HASH_START, hashOn } from './name-index.js';
import { pruneHosts } from './prune-hosts.js';

const CLASSES = 2;

/** The same numbers by a map of names to their own visits: what the tree must say. */
class Sums {
  readonly own = new Map<string, number[]>();

  add(name: string, visitClass: number, visits: number): void {
    for (const one of [name, ...ancestorsOf(name)]) if (!this.own.has(one)) this.own.set(one, [0, 0]);
    const sums = this.own.get(name) as number[];
    sums[visitClass] = (sums[visitClass] as number) + visits;
  }

  read(name: string, scope: HostScope): number[] {
    const isIn: Record<HostScope, (one: string) => boolean> = {
      self: (one) => one === name,
      children: (one) => (parentOf(one) ?? '') === name,
      below: (one) => one !== name && (name === '' || one.startsWith(`${name}.`)),
      subtree: (one) => one === name || name === '' || one.startsWith(`${name}.`),
    };
    return this.sum([...this.own.keys()].filter(isIn[scope]));
  }

  sum(names: string[]): number[] {
    return [0, 1].map((visitClass) => names.reduce((sum, name) => sum + (this.own.get(name)?.[visitClass] ?? 0), 0));
  }
}

const anyName = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(fc.constantFrom('com', 'github', 'io', 'uk', 'co', 'a', 'b', 'aa', 'x-y', 'ck', 'w'.repeat(63)), {
        minLength: 1,
        maxLength: 5,
      })
      .map((labels) => labels.join('.')),
  },
  fc.constantFrom('~ip.192-0-2-7', '~ip.2001:db8::1', '~unknown'),
  // Sites of others below a site.
  fc.constantFrom(
    'com.amazonaws.s3',
    'com.amazonaws.www',
    'com.amazonaws.us-east-1.s3.bucket.a',
    'com.amazonaws.s3.b.c',
  ),
);
const anyVisits = fc.record({
  name: anyName,
  visitClass: fc.nat(CLASSES - 1),
  visits: fc.integer({ min: -3, max: 1_000 }),
  isById: fc.boolean(),
});
const anyHistory = fc.array(anyVisits, { maxLength: 60 });

/** Ids by the order names come in, those above first, as in the table. */
class Ids {
  readonly of = new Map<string, number>();

  /** @returns those that are new */
  take(name: string): [number, string][] {
    const added = [...ancestorsOf(name).reverse(), name].filter((one) => !this.of.has(one));
    for (const one of added) this.of.set(one, 7 * (this.of.size + 1));
    return added.map((one) => [this.of.get(one) as number, one]);
  }
}

function replay(history: { name: string; visitClass: number; visits: number; isById: boolean }[], limits = {}) {
  const tree = new HostTree(CLASSES, limits);
  const [ids, sums] = [new Ids(), new Sums()];
  for (const { name, visitClass, visits, isById } of history) {
    for (const [id, one] of ids.take(name)) tree.define(id, one);
    if (isById) expect(tree.add(ids.of.get(name) as number, visitClass, visits)).toBe(true);
    else tree.addByName(name, visitClass, visits);
    sums.add(name, visitClass, visits);
  }
  return { tree, ids, sums };
}

const totalOf = (visits: number[]) => visits.reduce((sum, one) => sum + one, 0);
const byTotal = (one: HostRow, other: HostRow) => other.total - one.total || one.id - other.id;

describe('the tree', () => {
  it('says of every name and scope what a map of names says', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { tree, ids, sums } = replay(history);
        for (const name of ['', ...sums.own.keys()]) {
          for (const scope of HOST_SCOPES) {
            expect([name, scope, tree.read(name, scope)]).toEqual([
              ...[name, scope],
              {
                id: ids.of.get(name) ?? 0,
                visits: sums.read(name, scope),
                children: [...sums.own.keys()].filter((one) => (parentOf(one) ?? '') === name).length,
                isLumped: false,
              },
            ]);
          }
        }
        expect([tree.read('com.nobody', 'self'), tree.isLumped('com.nobody')]).toEqual([undefined, false]);
      }),
    );
  });

  it('lists children, all below, and sites, page by page', () => {
    fc.assert(
      fc.property(anyHistory, anyName, fc.constantFrom(undefined, [1]), (history, other, classes) => {
        const { tree, ids, sums } = replay(history.map((one) => ({ ...one, visits: Math.abs(one.visits) })));
        const totals = (visits: number[]) => (classes === undefined ? totalOf(visits) : (visits[1] as number));
        const rowsOf = (names: string[]) =>
          names.map((name): HostRow => {
            const row = tree.read(name, 'subtree') as HostRow;
            return { ...row, name, total: totals(sums.read(name, 'subtree')) };
          });
        for (const name of ['', other, 'com', 'io.github']) {
          const isKnown = name === '' || sums.own.has(name);
          const below = [...sums.own.keys()].filter((one) => name === '' || one.startsWith(`${name}.`));
          const children = below.filter((one) => (parentOf(one) ?? '') === name);
          const pages = (list: typeof listBelow) => inPages((query) => list(tree, name, { ...query, classes }));
          expect(pages(listBelow)).toEqual(isKnown ? rowsOf(below).sort(byTotal) : undefined);
          expect(pages(listChildren)).toEqual(isKnown ? rowsOf(children).sort(byTotal) : undefined);
        }
        const sites = new Map<string, string[]>();
        for (const name of sums.own.keys()) sites.set(siteOf(name), [...(sites.get(siteOf(name)) ?? []), name]);
        const rows = [...sites].map(([name, names]) => ({
          ...(tree.read(name, 'self') as HostRow),
          name,
          visits: sums.sum(names),
          total: totals(sums.sum(names)),
        }));
        const listed = inPages((query) => listSites(tree, { ...query, classes }));
        expect(listed).toEqual(rows.filter(({ total }) => total > 0).sort(byTotal));
        expect(ids.of.size).toBe(sums.own.size);
      }),
    );
  });

  it('lists those without an id page by page, too: by name where they have as much', () => {
    const tree = new HostTree(1);
    const names = ['com.b', 'com.a', 'com.d', 'com.e', 'com.c', 'com.f.www', 'com.g'];
    for (const name of names) tree.addByName(name, 0, name === 'com.g' ? 7 : 5);
    tree.define(1, 'com.z');
    tree.add(1, 0, 5);
    const listed = (list: typeof listBelow) => inPages((query) => list(tree, 'com', query))?.map(({ name }) => name);
    const some = ['com.a', 'com.b', 'com.c', 'com.d', 'com.e', 'com.f'];
    expect(listed(listChildren)).toEqual(['com.g', ...some, 'com.z']);
    expect(listed(listBelow)).toEqual(['com.g', ...some, 'com.f.www', 'com.z']);
    expect(inPages((query) => listSites(tree, query))?.map(({ name }) => name)).toEqual(['com.g', ...some, 'com.z']);
  });

  it('keeps every sum above when children are too many, and says so', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 0, max: 3 }), (history, limit) => {
        const { tree, sums } = replay(history, { ofNames: limit, ofSuffixes: limit });
        for (const name of ['', ...sums.own.keys()]) {
          const kept = tree.read(name, 'subtree');
          if (kept === undefined) {
            expect(tree.isLumped(name)).toBe(true);
            continue;
          }
          expect(kept.visits).toEqual(sums.read(name, 'subtree'));
          expect(tree.read(name, 'self')?.visits).toEqual(sums.read(name, 'self'));
          expect(kept.children).toBeLessThanOrEqual(limit);
          const children = listChildren(tree, name, { limit: 1_000 })?.map((row) => row.name.split('.').at(-1));
          expect(children?.includes(REST_HOST)).toBe(kept.isLumped);
        }
      }),
    );
  });

  it('loses no visit of names that are pruned, and gives them back when they are seen again', async () => {
    const run = async (history: Parameters<typeof replay>[0], seen: string[]) => {
      const { tree, ids, sums } = replay(history);
      const pruned = await pruneHosts(tree, (id) => seen.some((name) => ids.of.get(name) === id));
      const isKept = (name: string) => name === '' || seen.some((one) => one === name || one.startsWith(`${name}.`));
      for (const name of ['', ...sums.own.keys()]) {
        expect([name, pruned.read(name, 'subtree')?.visits]).toEqual([
          name,
          isKept(name) && (name === '' || sums.own.has(name)) ? sums.read(name, 'subtree') : undefined,
        ]);
      }
      for (const [name, id] of ids.of) {
        pruned.revive(id, name, { self: sums.read(name, 'self'), below: sums.read(name, 'below') });
      }
      for (const name of ['', ...sums.own.keys()]) {
        for (const scope of HOST_SCOPES)
          expect(pruned.read(name, scope)?.visits).toEqual(tree.read(name, scope)?.visits);
      }
    };
    const histories = anyHistory.chain((history) =>
      fc.tuple(fc.constant(history), fc.subarray([...new Set(history.map(({ name }) => name))])),
    );
    await fc.assert(fc.asyncProperty(histories, ([history, seen]) => run(history, seen)));
  });

  it('does not grow with random names below one, nor do their neighbours change', () => {
    const tree = new HostTree(1);
    tree.addByName('com.neighbour.www', 0, 5);
    for (let index = 0; index < 10_000; index += 1) tree.addByName(`com.flood.n${index}`, 0, 1);
    const { bytes } = tree;
    for (let index = 0; index < 200_000; index += 1) tree.addByName(`com.flood.m${index}.deep`, 0, 1);
    expect(tree.bytes).toBe(bytes);
    expect(tree.read('com.flood', 'below')).toMatchObject({ visits: [210_000], children: 10_000, isLumped: true });
    expect(tree.read('com.neighbour', 'subtree')).toMatchObject({ visits: [5], isLumped: false });
    expect(tree.isLumped('com.flood.m1')).toBe(true);
  });

  it('refuses what would not be exact, and adds nothing of it', () => {
    const tree = new HostTree(2);
    tree.define(1, 'com.a');
    tree.add(1, 0, Number.MAX_SAFE_INTEGER - 1);
    const before = tree.read('', 'subtree');
    for (const visits of [2, -2, 1.5, NaN, Infinity]) {
      expect(() => tree.add(1, 1, visits)).toThrow(expect.objectContaining({ code: 'host-sum-too-large' }));
      expect(() => tree.addByName('org.b', 0, visits)).toThrow(expect.objectContaining({ code: 'host-sum-too-large' }));
    }
    expect(() => tree.add(1, 2, 1)).toThrow(expect.objectContaining({ code: 'host-sum-too-large' }));
    expect(tree.read('', 'subtree')).toMatchObject({ visits: before?.visits });
    expect([tree.add(1, 1, 1), tree.add(2, 0, 1)]).toEqual([true, false]);
  });

  it('tells names of the same hash apart', () => {
    const tree = new HostTree(1);
    // Of FNV-1a, 32 bits; so is what goes on from them.
    const [one, other] = ['costarring', 'liquid'];
    expect(hashOn(HASH_START, one, 0, one.length)).toBe(hashOn(HASH_START, other, 0, other.length));
    tree.addByName(`${one}.www`, 0, 3);
    expect(tree.read(other, 'subtree')).toBeUndefined();
    tree.addByName(`${other}.www`, 0, 5);
    expect([one, other].map((name) => tree.read(name, 'subtree')?.visits)).toEqual([[3], [5]]);
  });

  it('holds thousands of names, whatever grows while they come', () => {
    const tree = new HostTree(1);
    const name = (index: number) => `com.site${index % 997}.host-${index}`;
    for (let index = 0; index < 30_000; index += 1) {
      tree.define(index + 1, name(index));
      tree.add(index + 1, 0, index);
    }
    for (let index = 0; index < 30_000; index += 1) {
      if (tree.read(name(index), 'self')?.visits[0] !== index) throw new Error(name(index));
    }
    expect(tree.read('com', 'children')).toMatchObject({ children: 997, visits: [0] });
    expect(tree.bytes).toBeLessThan(30_000 * 150);
  });
});

function inPages(list: (query: { limit: number; after?: HostRow }) => HostRow[] | undefined): HostRow[] | undefined {
  const rows: HostRow[] = [];
  for (;;) {
    const page = list({ limit: 3, after: rows.at(-1) });
    if (page === undefined) return undefined;
    rows.push(...page);
    if (page.length < 3) return rows;
  }
}
