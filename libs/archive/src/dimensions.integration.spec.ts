import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DAY_MS, type EnrichedVisit } from '@hopcount/ledger';
import { randomHistory, randomSource } from '@hopcount/ledger/spec-helpers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ArchiveSpec } from './archive.spec-helpers.js';
import { dimensionsOf } from './dimensions.js';
import { archivedVisits } from './duckdb/archived-visits.js';
import { DuckDatabase } from './duckdb/duck-database.js';

const FROM = Date.parse('2026-09-10T00:00:00Z');
const TO = FROM + DAY_MS;
/** Texts that a language may take for something else; a place is told from its country by both. */
const ODD = ['unknown', 'NULL', "d'Oise", '', ' ', 'a, b', 'Zürich 🦄', 'direct'];
const COUNTED = ['human', 'bot', 'preview', 'prefetch', 'opted_out'] as const;

type Row = { dimension: string; value: string } & Record<(typeof COUNTED)[number], number>;

/** Sorted by code units: collations differ between the two. */
const inOrder = (rows: Row[]) =>
  rows
    .map((row) => JSON.stringify([row.dimension, row.value, ...COUNTED.map((name) => Number(row[name]))]))
    .sort((a, b) => (a < b ? -1 : 1));

describe('dimensions of visits in files', () => {
  let spec: ArchiveSpec;
  let duck: DuckDatabase;
  let folder: string;
  let visits: string;
  const random = randomSource(31);

  /** Half of the values are odd ones, of places and countries together. */
  const odd = (visit: EnrichedVisit): EnrichedVisit => {
    const place = () => random.pick(ODD);
    const fields = { country: place(), region: place(), city: place(), network: place(), browser: place() };
    return random.below(2) === 0 ? visit : { ...visit, ...fields, referrerHost: place(), language: place() };
  };

  beforeAll(async () => {
    spec = await ArchiveSpec.open();
    folder = mkdtempSync(join(tmpdir(), 'dimensions-'));
    duck = new DuckDatabase({ memoryMb: 256, threads: 1, spillFolder: join(folder, 'spill') });
    for (const link of ['7', '8', '9']) {
      await spec.commit(randomHistory(random, link, { from: FROM, to: TO }, 250).map(odd));
    }
    await spec.seal(TO);
    visits = `(${archivedVisits((await spec.active()).map((file) => spec.pathOf(file)))})`;
  });
  afterAll(async () => {
    await spec.close();
    rmSync(folder, { recursive: true });
  });

  const ofLedger = (link: string, from: number, to: number) =>
    spec.ledger.server.query<Row>(
      'SELECT * FROM ledger_dimensions($1, ARRAY[$2::timestamptz], ARRAY[$3::timestamptz])',
      [link, new Date(from), new Date(to)],
    );

  it('are those of ledger_dimensions(), for any link and range', async () => {
    for (let look = 0; look < 12; look += 1) {
      const link = random.pick(['7', '8', '9']);
      const [from = FROM, to = TO] =
        look === 0 ? [] : [FROM + random.below(DAY_MS), FROM + random.below(DAY_MS)].sort((a, b) => a - b);
      const chosen = `(FROM ${visits} WHERE link_id = ${link} AND epoch_ms(occurred_at) >= ${from} AND epoch_ms(occurred_at) < ${to})`;
      const filed = await duck.session((session) => session.rows<Row>(dimensionsOf(chosen)));
      const kept = await ofLedger(link, from, to);
      expect(inOrder(filed)).toEqual(inOrder(kept));
      expect(look > 0 || kept.length > 60).toBe(true);
    }
  });

  it('can be had of many links at once', async () => {
    const filed = await duck.session((session) =>
      session.rows<Row & { link: string }>(
        `SELECT link_id::VARCHAR AS link, * EXCLUDE (link_id) FROM (${dimensionsOf(visits, ['link_id'])})`,
      ),
    );
    for (const link of ['7', '8', '9']) {
      expect(inOrder(filed.filter((row) => row.link === link))).toEqual(inOrder(await ofLedger(link, FROM, TO)));
    }
  });
});
