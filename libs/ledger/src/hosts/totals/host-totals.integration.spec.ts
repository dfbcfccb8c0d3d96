import { HOST_KINDS, HOST_SCOPES } from '@hopcount/contracts';
import { loadSql } from '@hopcount/postgres';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Ledger } from '../../ledger.spec-helpers.js';
import { randomSource } from '../../ledger-history.spec-helpers.js';
import { HostFold } from '../host-fold.js';
import { HostTotals } from './host-totals.js';

const CLASSES = [0, 1, 2, 3, 4];
const INSERT = `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(kind), array_agg(host), array_agg(7), array_agg(class), array_agg(greatest(visits, 0)), array_agg(greatest(-visits, 0)),
    array_agg(0) FROM unnest($1::smallint[], $2::text[], $3::smallint[], $4::bigint[]) AS one (kind, host, class, visits)`;
/** By what is committed alone: where each change counts, and what is there of it. */
const EXPECTED = `WITH part AS (
    SELECT totals.kind, name COLLATE "C" AS place, class, p - n AS visits FROM host_totals AS totals JOIN hosts ON hosts.id = host_id
    UNION ALL
    SELECT change.kind, host_place(change.kind, change.host) COLLATE "C", change.class, change.p - change.n
    FROM host_changes, unnest(kinds, hosts, classes, p, n) AS change (kind, host, class, p, n) WHERE folded_at IS NULL
  )
  SELECT kind, place, class, sum(visits)::integer AS visits FROM part GROUP BY 1, 2, 3`;
const NAMES = ['com', 'com.a', 'com.a.x', 'com.a.y.deep', 'com.b', 'com.b.z', 'org', 'org.c.d.e', '~ip.192-0-2-7'];

describe('totals of hosts in memory', () => {
  let ledger: Ledger;
  let totals: HostTotals;
  beforeAll(async () => {
    ledger = await Ledger.open();
    totals = new HostTotals(ledger.database, { names: 10_000 });
  });
  afterAll(() => ledger.close());

  const change = (sums: readonly (readonly [kind: number, name: string, visitClass: number, visits: number])[]) =>
    ledger.server.query(
      INSERT,
      [0, 1, 2, 3].map((at) => sums.map((sum) => sum[at])),
    );
  /** What PostgreSQL has, while nobody commits. */
  const expectEqual = async () => {
    await totals.follow();
    const rows = await ledger.server.query<{ kind: number; place: string; class: number; visits: number }>(
      EXPECTED,
      [],
    );
    for (const [number, kind] of HOST_KINDS.entries()) {
      for (const name of [...NAMES, 'com.never', 'com.b.~rest']) {
        for (const scope of HOST_SCOPES) {
          const within = (place: string) => {
            const below = place.startsWith(`${name}.`);
            if (scope === 'children') {
              const isChild = below && !place.slice(name.length + 1).includes('.');
              return isChild && !place.endsWith('~rest');
            }
            return (scope !== 'below' && place === name) || (scope !== 'self' && below);
          };
          const ofClass = (one: number) =>
            rows
              .filter((row) => row.kind === number && row.class === one && within(row.place))
              .reduce((sum, { visits }) => sum + visits, 0);
          const known = totals.read({ kind, name, scope });
          expect([kind, name, scope, known?.visits]).toEqual([kind, name, scope, CLASSES.map(ofClass)]);
        }
      }
    }
  };

  it.each([11, 12])(
    'are those of PostgreSQL at each look: before and after folds, of purges, of names seen again (seed %i)',
    async (seed) => {
      const random = randomSource(seed);
      for (let look = 0; look < 12; look += 1) {
        const sums = Array.from({ length: 1 + random.below(6) }, () => {
          const name = NAMES[random.below(NAMES.length)]!;
          return [random.below(4), name, random.below(5), random.below(9) - 3] as const;
        });
        await change(sums);
        if (random.below(3) === 0) await new HostFold(ledger.database).fold();
        await expectEqual();
        // As another process that has just started.
        if (random.below(4) === 0) totals = new HostTotals(ledger.database, { names: 10_000 });
      }
    },
    60_000,
  );

  it('have what counts at the `~rest` of a parent, and say so', async () => {
    await change([[0, 'com.b.z', 0, 1]]);
    await new HostFold(ledger.database).fold();
    await ledger.server.query(
      `INSERT INTO hosts (kind, name, parent_id) SELECT 0, 'com.b.~rest', id FROM hosts WHERE kind = 0 AND name = 'com.b'`,
    );
    await change([[0, 'com.b.new.www', 0, 5]]);
    await expectEqual();
    const read = (name: string) => totals.read({ kind: 'target', name, scope: 'self' });
    expect([read('com.b'), read('com.b.new'), read('com.b.z')]).toMatchObject([
      { lumped: true },
      { lumped: true, visits: [0, 0, 0, 0, 0] },
      { lumped: false },
    ]);
    expect(read('com.b.~rest')).toMatchObject({ visits: [5, 0, 0, 0, 0] });
  });

  it('are read anew once a rebuild has put totals right', async () => {
    await new HostFold(ledger.database).fold();
    await ledger.server.query('UPDATE host_totals SET p = p + 1');
    totals = new HostTotals(ledger.database, { names: 10_000 });
    await expectEqual();
    await ledger.server.query(loadSql(import.meta.url, '../../rebuild/sql/rebuild-host-totals.sql'));
    await expectEqual();
  });

  it('are read anew once the ledger is an earlier one, which lacks commits that were seen', async () => {
    await expectEqual();
    await change([[0, 'com.a.x', 0, 4]]);
    await expectEqual();
    await ledger.server.query('DELETE FROM host_changes WHERE id = (SELECT max(id) FROM host_changes)');
    await ledger.server.query('UPDATE ledger_incarnation SET incarnation = gen_random_uuid()');
    await change([[0, 'com.a.x', 0, 4]]);
    await expectEqual();
  });

  it('are kept as of their moment while PostgreSQL refuses, and not at all where they would be too many', async () => {
    await totals.follow();
    const read = (of: HostTotals) => of.read({ kind: 'target', name: 'com', scope: 'subtree' });
    const before = read(totals);
    const few = new HostTotals(ledger.database, { names: 3 });
    await few.follow();
    expect([few.size.names, read(few)]).toEqual([0, undefined]);
    await ledger.server.query('ALTER TABLE host_changes RENAME TO gone');
    await expect(totals.follow()).rejects.toThrow();
    expect(read(totals)).toEqual(before);
    await ledger.server.query('ALTER TABLE gone RENAME TO host_changes');
    await change([[0, 'com', 0, 2]]);
    await expectEqual();
    expect(read(totals)?.asOf.getTime()).toBeGreaterThan(before!.asOf.getTime());
  });
});
