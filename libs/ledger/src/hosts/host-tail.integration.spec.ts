import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Ledger } from '../ledger.spec-helpers.js';
import { randomSource } from '../ledger-history.spec-helpers.js';
import { HostFold } from './host-fold.js';
import { type HostChange, HostTail } from './host-tail.js';

const ALL = 0;
const ENOUGH = 1_000_000;
const FEWEST_LOOKS = 10;
const INSERT = `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  VALUES ('{0,2}', $1::text[], $2::integer[], '{0,0}', $3::bigint[], '{0,1}', '{0,0}')`;
const AT_SNAPSHOT = `SELECT change.kind, change.host, change.cell, sum(change.p - change.n)::float8 AS visits
  FROM host_changes, unnest(kinds, hosts, cells, p, n) AS change (kind, host, cell, p, n)
  WHERE pg_visible_in_snapshot(xid, $1::pg_snapshot) GROUP BY 1, 2, 3`;

describe('the tail of what is counted by host', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());

  it.each([5, 6])(
    'equals PostgreSQL at each snapshot, whenever committers begin and end (seed %i)',
    async (seed) => {
      const random = randomSource(seed);
      const tail = new HostTail(ledger.database);
      const sums = new Map<string, number>();
      const add = (changes: readonly HostChange[]) => {
        for (const [kind, host, cell, visits] of changes) {
          const key = `${kind} ${host} ${cell}`;
          sums.set(key, (sums.get(key) ?? 0) + visits);
        }
      };
      let working = 4;
      let looks = 0;
      const committer = async () => {
        // A busy machine looks seldom: some looks have to fall between commits.
        for (let nth = 0; nth < 40 || looks < FEWEST_LOOKS; nth += 1) {
          await ledger.database.transaction(async (tx) => {
            const hosts = [0, 1].map(() => `com.example.${'abc'[random.below(3)]}`);
            // Its id and xid are there long before it ends.
            await tx.query(INSERT, [hosts, [random.below(4), random.below(4)], [1 + random.below(9), random.below(9)]]);
            await sleep(random.below(15));
          });
        }
        working -= 1;
      };
      const all = Promise.all([committer(), committer(), committer(), committer()]);
      let { snapshot, changes } = await tail.read(null, ALL, ENOUGH);
      for (let isLast = false; ; looks += 1) {
        add(changes);
        const rows = await ledger.server.query<{ kind: number; host: string; cell: number; visits: number }>(
          AT_SNAPSHOT,
          [snapshot],
        );
        const expected = rows.map(({ kind, host, cell, visits }) => [`${kind} ${host} ${cell}`, visits]).sort();
        expect([...sums].sort()).toEqual(expected);
        if (isLast) break;
        isLast = working === 0;
        // Folding, which marks rows, makes nothing new of them.
        if (looks % 5 === 0) await new HostFold(ledger.database).fold();
        ({ snapshot, changes } = await tail.read(snapshot, ALL, ENOUGH));
      }
      await all;
      expect(looks).toBeGreaterThan(3);
    },
    60_000,
  );

  it('leaves out cells that nobody asks for, and says when there is more than was asked for', async () => {
    const tail = new HostTail(ledger.database);
    const { snapshot } = await tail.read(null, ALL, ENOUGH);
    await ledger.server.query(INSERT, [
      ['com.early', 'com.late'],
      [100, 200],
      [3, 8],
    ]);
    expect(await tail.read(snapshot, 101, 5)).toMatchObject({ changes: [[2, 'com.late', 200, 7]], isCut: false });
    expect(await tail.read(snapshot, 100, 1)).toMatchObject({ isCut: true });
  });
});
