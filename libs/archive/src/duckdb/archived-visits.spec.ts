import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ArchiveFile } from '../manifest/archive-file.js';
import type { VisitFilter } from '../questions/visit-filters.js';
import { KeptRelations } from '../read/kept-relations.js';
import { ScopedVisits } from '../read/scoped-visits.js';
import { EVERYBODY } from '../read/visits-of.js';
import type { LocalFile } from '../store/archive-store.js';
import { VISIT_COLUMNS } from '../visit-columns.js';
import { archivedVisits } from './archived-visits.js';
import { DuckDatabase } from './duck-database.js';
import { quote } from './quoting.js';

const ID = '019aa5e4-7c00-7001-9f00-a1b2c3d4e5f6';

describe('files from before a column of the ledger', () => {
  let folder: string;
  let duck: DuckDatabase;
  let old: string;
  let young: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'archived-visits-'));
    duck = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'spill') });
    [old, young] = [join(folder, 'old.parquet'), join(folder, 'young.parquet')];
    const known: Record<string, string> = {
      occurred_at: `'2025-11-21 00:00:00+00'`,
      event_id: quote(ID),
      link_id: '7',
      source: `'gw'`,
    };
    const row = (names: string[]) =>
      VISIT_COLUMNS.filter(({ name }) => !names.includes(name))
        .map(({ name, type }) => `${name === 'route' ? `'rule:1'` : (known[name] ?? 'NULL')}::${type} AS ${name}`)
        .join(', ');
    await duck.session(async (session) => {
      await session.run(`COPY (SELECT ${row(['route', 'imported_from'])}) TO ${quote(old)} (FORMAT parquet)`);
      await session.run(`COPY (SELECT ${row([])}) TO ${quote(young)} (FORMAT parquet)`);
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are read, written anew and restored with null in it, alone and among others', async () => {
    const routes = (...paths: string[]) =>
      duck.session((session) =>
        session.rows<{ route: string | null; link: number }>(
          `SELECT route, link_id::DOUBLE AS link FROM (${archivedVisits(paths)}) ORDER BY route NULLS FIRST`,
        ),
      );
    const [without, withRule] = [
      { route: null, link: 7 },
      { route: 'rule:1', link: 7 },
    ];
    expect(await routes(old)).toEqual([without]);
    expect(await routes(young)).toEqual([withRule]);
    expect(await routes(old, young)).toEqual([without, withRule]);
    expect(await routes(young, old)).toEqual([without, withRule]);
    expect(await routes()).toEqual([]);
  });

  it('have none of its values for a question about any scope', async () => {
    const hours = { from: Date.parse('2025-11-21T00:00:00Z'), to: Date.parse('2025-11-21T01:00:00Z') };
    const counts = (paths: string[], filters: VisitFilter[] = []) =>
      duck.session(async (session) => {
        const files = paths.map((local) => ({ local, period: hours }) as LocalFile<ArchiveFile>);
        const visits = new ScopedVisits(
          session,
          files,
          { of: EVERYBODY, ...hours },
          {
            keptFrom: Number.NEGATIVE_INFINITY,
            kept: new KeptRelations({ mostBytes: 0 }),
          },
        );
        return Object.fromEntries(await visits.counts({ by: 'value', of: 'route' }, filters, undefined));
      });
    expect(await counts([old])).toEqual({ '': 1 });
    expect(await counts([old, young])).toEqual({ '': 1, 'rule:1': 1 });
    expect(await counts([old], [{ dimension: 'importedFrom', values: [''], prefixes: [], isExcluded: false }])).toEqual(
      {
        '': 1,
      },
    );
  });

  it('do not stop a question about other columns', async () => {
    const question = (paths: string[]) =>
      duck.session((session) =>
        session.rows(`SELECT source FROM (
          SELECT *, row_number() OVER (ORDER BY event_id) AS nth FROM (SELECT * FROM read_parquet([${paths.map(quote).join(', ')}]))
        )`),
      );
    expect(await question([young, old])).toEqual([{ source: 'gw' }, { source: 'gw' }]);
    expect(await question([old, young])).toEqual([{ source: 'gw' }, { source: 'gw' }]);
  });
});
