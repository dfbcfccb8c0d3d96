import { copyFileSync, cpSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { VisitFilter } from '@hopcount/archive';
import { BUCKET_MS, DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { Reach } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { VisitsProof } from '../scopes/visits-proof.js';
import { VisitsStatisticsReader } from '../scopes/visits-statistics-reader.js';
import { passes, totalsOf } from './scope-model.spec-helpers.js';
import { FROM, LINKS, ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

const ofAll = { reach: Reach.everything, ...SPAN, scope: { of: 'all' }, filters: [], uniques: 'all' } as const;

type Archive = ScopedHistory['files']['files'];

describe('what was kept for the next question', () => {
  const OPEN = FROM + DAY_MS + HOUR_MS;
  let history: ScopedHistory;
  beforeEach(async () => {
    history = await ScopedHistory.open(97);
    for (const atMs of [FROM + 1, FROM + 2 * HOUR_MS, OPEN + 1, OPEN + BUCKET_MS, OPEN + 2 * BUCKET_MS])
      await history.commit(8, atMs);
    await history.files.seal(FROM + DAY_MS);
  });
  afterEach(() => history.close());

  /** Three times: from files and ledger, while it is kept, from what is kept. */
  async function expectCounted(range = { from: FROM, to: FROM + 2 * DAY_MS }, filters: VisitFilter[] = []) {
    const inside = history.visits.filter(
      (visit) => visit.occurredAtMs >= range.from && visit.occurredAtMs < range.to && passes(visit, filters),
    );
    for (let time = 1; time <= 3; time += 1) {
      const { totals, unknown } = await history.files.visits.totals({ ...ofAll, ...range, filters });
      expect({ time, totals, unknown }).toEqual({ time, totals: totalsOf(inside), unknown: [] });
    }
  }
  const isNot = (country: string): VisitFilter[] => [
    { dimension: 'country', values: [country], prefixes: [], isExcluded: true },
  ];

  it('counts what came late into a quarter of an hour, and nothing that was purged of it', async () => {
    for (const filters of [[], isNot('nobody')]) await expectCounted(undefined, filters);
    await history.commit(1, OPEN + 2);
    for (const filters of [[], isNot('nobody')]) await expectCounted(undefined, filters);
    for (const linkId of LINKS) await history.purge(true, { linkId, beforeMs: OPEN + BUCKET_MS });
    expect(history.visits.length).toBeGreaterThan(0);
    for (const filters of [[], isNot('nobody')]) await expectCounted(undefined, filters);
  });

  it('counts visits that came back under their ids, of another link and country, after they were purged', async () => {
    const filters = isNot('AQ');
    await expectCounted(undefined, filters);
    const [first, ...others] = history.visits.filter(({ occurredAtMs }) => occurredAtMs === OPEN + 1);
    const gone = [first!, ...others.filter(({ linkId }) => linkId === first!.linkId)];
    const { linkId } = first!;
    await history.purge(true, { linkId, beforeMs: OPEN + BUCKET_MS });
    const elsewhere = LINKS.find((link) => link !== linkId)!;
    await history.take(gone.map((visit) => ({ ...visit, linkId: elsewhere, country: 'AQ' })));
    await expectCounted(undefined, filters);
  });

  it('counts what a file holds, once a proof has found that it was misread before', async () => {
    const { ledger, files } = history;
    const question = { ...ofAll, from: FROM, to: FROM + HOUR_MS };
    const misread: Archive = {
      ...files.files,
      visits: (tx, asked, work) => files.files.visits(tx, asked, (sources) => whileMisread(() => work(sources))),
    };
    const ask = async (archive: Archive) =>
      (await new VisitsStatisticsReader(ledger.database, archive).totals(question)).totals;
    const right = await ask(files.files);
    const wrong = await ask(misread);
    // Nothing but a proof can tell: the file is what it was.
    expect([wrong, await ask(files.files)]).toEqual([expect.not.objectContaining(right), wrong]);
    const { rows, buckets } = await new VisitsProof(ledger.database, misread).read(question);
    expect(rows).not.toEqual(buckets);
    expect(await ask(files.files)).toEqual(right);
  });

  /** As of a disk that fails for a moment: each file has the bytes of the next one, and nobody wrote to it. */
  async function whileMisread<T>(work: () => Promise<T>): Promise<T> {
    const paths = readdirSync(history.files.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.parquet'))
      .map((path) => join(history.files.root, path));
    const folder = dirname(paths[0]!);
    const whole = `${folder}.whole`;
    renameSync(folder, whole);
    cpSync(whole, folder, { recursive: true });
    paths.forEach((path, nth) => {
      copyFileSync(join(whole, basename(paths[(nth + 1) % paths.length]!)), path);
      // DuckDB keeps footers by the time of the last write.
      utimesSync(path, 0, 0);
    });
    try {
      return await work();
    } finally {
      rmSync(folder, { recursive: true });
      renameSync(whole, folder);
    }
  }

  it('counts of a file that the range ends in what lies before its end', async () => {
    for (const ms of [2 * HOUR_MS, 2 * HOUR_MS + 1, 1, 2]) await expectCounted({ from: FROM, to: FROM + ms });
  });

  it('counts what was sealed since', async () => {
    await expectCounted();
    await history.files.seal(FROM + 2 * DAY_MS);
    await expectCounted();
    await history.drop(FROM + 2 * DAY_MS);
    await expectCounted();
  });

  it('counts of links what was mended of their sums', async () => {
    const page = { order: 'value', isAscending: true, offset: 0, limit: LINKS.length } as const;
    const ask = async () => {
      const question = { ...ofAll, from: FROM, to: FROM + 2 * DAY_MS, uniques: 'none' } as const;
      return (await history.files.visits.values(question, 'link', page)).rows;
    };
    const addToSum = (visits: number) =>
      history.ledger.server.query(
        `UPDATE link_traffic SET visits = visits + $1 WHERE ctid = (SELECT ctid FROM link_traffic WHERE bucket = $2 LIMIT 1)`,
        [visits, new Date(OPEN)],
      );
    const right = await ask();
    await addToSum(2);
    for (let time = 1; time <= 2; time += 1) expect(await ask()).not.toEqual(right);
    await addToSum(-2);
    expect(await ask()).toEqual(right);
  });
});
