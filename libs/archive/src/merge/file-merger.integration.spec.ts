import { readFileSync, writeFileSync } from 'node:fs';

import { DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt, readRows } from '../archive.spec-helpers.js';
import { readIndex } from '../summaries/summary-block.js';

const DAY = hourAt('10T00');
const OCTOBER = Date.parse('2026-10-05T00:00:00Z');

describe('merging files', () => {
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    visits = [0, 1, 24, 25, 48].flatMap((hour) =>
      Array.from({ length: 12 }, (_, n) =>
        enrichedVisit({ atMs: DAY + hour * HOUR_MS + n, linkId: String(1 + (n % 3)) }),
      ),
    );
    await spec.ledger.addLink('1');
    await spec.commit(visits);
    await spec.seal(OCTOBER);
  });
  afterEach(() => spec.close());

  const levels = async () => (await spec.active()).map((file) => `${file.level} ${file.visits}`).sort();
  /** Until nothing is left to merge. */
  async function mergeAll(nowMs: number): Promise<void> {
    for (;;) {
      const { into, failed } = await spec.archive.merge(OCTOBER, nowMs);
      expect(failed).toEqual([]);
      if (into === 0) return;
    }
  }

  it('makes days of hours and a month of days, sorted by link, with the same visits', async () => {
    expect(await levels()).toEqual(Array(5).fill('hour 12'));
    await spec.archive.merge(OCTOBER, Date.now());
    expect(await levels()).toEqual(['day 24', 'day 24', 'hour 12']);
    await mergeAll(Date.now());
    const [month, ...more] = await spec.active();
    expect([month?.level, month?.visits, more]).toEqual(['month', 60, []]);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect([...(await readIndex(spec.pathOf(month!))).keys()].sort()).toEqual(['1', '2', '3']);
    const rows = await readRows<{ link: string; id: string }>(
      [spec.pathOf(month!)],
      'link_id::VARCHAR AS link, event_id::VARCHAR AS id',
    );
    expect(rows.map(({ link, id }) => `${link} ${id}`)).toEqual(rows.map(({ link, id }) => `${link} ${id}`).sort());
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], dueHours: [], buckets: 15 });
  });

  it('keeps replaced files as long as a reader may hold them', async () => {
    await mergeAll(Date.now());
    expect(await spec.archive.removeFiles(Date.now())).toMatchObject({ ended: 0, unknown: 0 });
    expect(spec.onDisk().length).toBeGreaterThan(1);
    await spec.archive.removeFiles(Date.now() + 2 * HOUR_MS);
    expect(spec.onDisk()).toEqual((await spec.active()).map(({ path }) => path));
  });

  it('goes on with late visits and purges of what was merged', async () => {
    await mergeAll(Date.now());
    const late = enrichedVisit({ atMs: DAY + 30, linkId: '2' });
    await spec.commit([late]);
    await spec.purge('1', OCTOBER);
    expect(await spec.seal(OCTOBER)).toMatchObject({ visits: 1, removedVisits: 20, failed: [] });
    expect(await levels()).toEqual(['hour 1', 'month 40']);
    await mergeAll(Date.now());
    expect(await levels()).toEqual(['hour 1', 'month 40']);
    await mergeAll(Date.now() + 2 * DAY_MS);
    expect(await levels()).toEqual(['month 41']);
    expect(await spec.contents()).toEqual(eventIdsOf([...visits.filter(({ linkId }) => linkId !== '1'), late]));
  });

  it('lets a purge of all that was merged go in one writing', async () => {
    await mergeAll(Date.now());
    await spec.purge('1', OCTOBER);
    expect(await spec.seal(OCTOBER)).toMatchObject({ visits: 0, removedVisits: 20, failed: [] });
    expect(await levels()).toEqual(['month 40']);
    const files = await spec.archive.manifest.allFiles();
    expect(files.filter(({ level }) => level === 'month').map(({ state }) => state)).toEqual(
      expect.arrayContaining(['active', 'replaced']),
    );
    expect(files.filter(({ level }) => level === 'month')).toHaveLength(2);
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], purgedVisits: 0, dueHours: [] });
  });

  it('takes no file whose bytes changed since this process first opened it', async () => {
    const late = enrichedVisit({ atMs: DAY + 30, linkId: '2' });
    await spec.commit([late]);
    await spec.seal(OCTOBER);
    const file = (await spec.active()).find(({ period, visits: count }) => period.from === DAY && count === 12);
    const bytes = readFileSync(spec.pathOf(file!));
    bytes[bytes.length >> 1]! ^= 0xff;
    writeFileSync(spec.pathOf(file!), bytes);
    await spec.archive.merge(OCTOBER, Date.now());
    expect(spec.damaged).toEqual([file?.path]);
    expect(await spec.seal(OCTOBER)).toMatchObject({ visits: 12, failed: [] });
    await mergeAll(Date.now() + 2 * DAY_MS);
    expect(await spec.contents()).toEqual(eventIdsOf([...visits, late]));
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], dueHours: [] });
  });

  it('is no difference for a verification that read the list of files before', async () => {
    const { manifest } = spec.archive;
    const before = await spec.active();
    await mergeAll(Date.now());
    await spec.archive.removeFiles(Date.now() + 2 * HOUR_MS);
    const files = manifest.files.bind(manifest);
    manifest.files = () => {
      manifest.files = files;
      return Promise.resolve(before);
    };
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], files: 1 });
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], files: 1, visits: 60 });
  });

  it('leaves files alone that others replaced meanwhile', async () => {
    const other = spec.openArchive();
    const reports = await Promise.all([spec.archive.merge(OCTOBER, Date.now()), other.merge(OCTOBER, Date.now())]);
    for (const { failed } of reports)
      for (const { error } of failed) expect(error).toMatchObject({ code: 'archive-moved-on' });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [] });
  });
});
