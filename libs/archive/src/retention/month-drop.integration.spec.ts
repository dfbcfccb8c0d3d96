import { appendFileSync, rmSync } from 'node:fs';

import {
  BUCKET_MS,
  DAY_MS,
  type EnrichedVisit,
  HOUR_MS,
  type MonthArchive,
  toIso,
  VisitEraser,
} from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from '../archive.spec-helpers.js';

const HOUR = hourAt('10T08');
const OCTOBER = Date.UTC(2026, 9, 1);

describe('a month of the ledger', () => {
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    for (const link of ['1', '2']) await spec.ledger.addLink(link);
    visits = [0, 1, 30].flatMap((hour) =>
      [1, 2].map((link) => enrichedVisit({ atMs: HOUR + hour * HOUR_MS, linkId: String(link) })),
    );
    await spec.commit(visits);
  });
  afterEach(() => spec.close());

  const seal = async () => {
    const { failed, ...sealed } = await spec.seal(OCTOBER);
    expect(failed).toEqual([]);
    return sealed;
  };
  /** Of a drop beside which something happens, once it has looked. */
  const between = (happens: () => Promise<unknown>): MonthArchive => ({
    examine: async (month) => {
      const found = await spec.archive.examine(month);
      await happens();
      return found;
    },
  });
  /** The ledger is empty, the files hold exactly these, and every bucket agrees. */
  const expectInFilesAlone = async (kept: readonly EnrichedVisit[]) => {
    expect(await spec.where()).toEqual({ ledger: 0, files: eventIdsOf(kept) });
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], dueHours: [], purgedVisits: 0 });
    expect(await spec.ledger.differences()).toEqual([]);
  };

  it('goes once files hold all of it, and neither number nor sum changes', async () => {
    expect(await spec.drop()).toBe('files do not hold 2 of its hours, first 2026-09-10T08:00:00.000Z');
    await seal();
    await spec.archive.merge(OCTOBER, Date.now());
    expect(await spec.drop()).toBeNull();
    await expectInFilesAlone(visits);
    expect(await spec.drop()).toBeUndefined();
  });

  it('stays while a late visit, or a row of the ledger that no bucket knows, is in no file', async () => {
    await seal();
    const late = enrichedVisit({ atMs: HOUR + 5, linkId: '1' });
    await spec.commit([late]);
    expect(await spec.drop()).toContain('do not hold 1 of its hours');
    expect(await seal()).toMatchObject({ visits: 1 });
    await spec.ledger.server.query(`DELETE FROM link_traffic WHERE link_id = 2 AND bucket = to_timestamp($1)`, [
      (HOUR + HOUR_MS) / 1_000,
    ]);
    expect(await spec.drop()).toContain('do not hold');
    // The files lose it as the buckets did; still the ledger's row is nowhere else.
    await spec.ledger.server.query(
      `UPDATE archive_files SET state = 'damaged' WHERE visits = 2 AND period_start = to_timestamp($1)`,
      [(HOUR + HOUR_MS) / 1_000],
    );
    await spec.ledger.server.query(`DELETE FROM link_traffic WHERE bucket = to_timestamp($1)`, [
      (HOUR + HOUR_MS) / 1_000,
    ]);
    expect(await spec.archive.dueHours(OCTOBER, 'all')).toEqual([]);
    expect(await spec.drop()).toContain('do not hold 1 of its hours as the ledger does');
    expect((await spec.where()).ledger).toBe(7);
  });

  it('stays while a file of it is damaged or missing, until it is sealed again', async () => {
    await seal();
    const [first, second] = await spec.active();
    appendFileSync(spec.pathOf(first!), 'x');
    expect(await spec.drop()).toContain(`${first?.path} is damaged`);
    rmSync(spec.pathOf(second!));
    await seal();
    expect(await spec.drop()).toContain(`${second?.path} is damaged or missing`);
    await seal();
    expect(await spec.drop()).toBeNull();
    await expectInFilesAlone(visits);
  });

  it('stays while its files have other classes than buckets and rows, which no sum shows', async () => {
    const bot = enrichedVisit({ atMs: HOUR + 1, linkId: '1', class: 'bot' });
    await spec.commit([bot]);
    await seal();
    const forge = () => spec.forgeFiles('* REPLACE (CASE link_id WHEN 1 THEN 1 - class ELSE class END AS class)');
    await forge();
    expect(await spec.archive.dueHours(OCTOBER, 'all')).toEqual([]);
    const found = { check: 'classes', actual: '1 links and buckets differ, in classes alone' };
    // Of the first hour as many visits are bots as before, only others.
    expect((await spec.archive.verify(OCTOBER)).differences).toEqual(
      [0, 1, 30].map((hour) => ({ ...found, where: toIso(HOUR + hour * HOUR_MS), expected: 'as link_traffic' })),
    );
    const why = 'files do not hold 2 of its hours as the ledger does, class by class, first 2026-09-10T08:00:00.000Z';
    expect(await spec.drop()).toBe(why);
    await forge();
    expect(await spec.drop()).toBeNull();
    await expectInFilesAlone([...visits, bot]);
  });

  it('stays when its files are merged between the look and the drop', async () => {
    await seal();
    const meanwhile = between(() => spec.archive.merge(OCTOBER, Date.now()));
    expect(await spec.drop(meanwhile)).toBe('its files were changed meanwhile');
    expect(await spec.drop()).toBeNull();
    await expectInFilesAlone(visits);
  });

  it('that was dropped loses what is purged afterwards: whole buckets, since nobody can tell their halves apart', async () => {
    const cut = [1, 2].map((ms) => enrichedVisit({ atMs: HOUR + 2 * HOUR_MS + ms, linkId: '1' }));
    await spec.commit(cut);
    await seal();
    // One file has the halves and what goes whole.
    await spec.archive.merge(OCTOBER, Date.now());
    await spec.drop();
    await spec.purge('1', HOUR + 2 * HOUR_MS + 2);
    await seal();
    const left = visits.filter(({ linkId, occurredAtMs }) => linkId === '2' || occurredAtMs > HOUR + 2 * HOUR_MS);
    await expectInFilesAlone([...left, ...cut]);
    expect(await spec.listed()).toEqual(eventIdsOf([...left, ...cut]));
    await spec.purge('1', HOUR + 2 * HOUR_MS + BUCKET_MS);
    await seal();
    await expectInFilesAlone(left);
  });

  it('of which visits are purged just before it is dropped loses exactly those', async () => {
    const cut = [1, 2].map((ms) => enrichedVisit({ atMs: HOUR + 2 * HOUR_MS + ms, linkId: '1' }));
    await spec.commit(cut);
    await seal();
    const meanwhile = between(() => spec.purge('1', HOUR + 2 * HOUR_MS + 2));
    expect(await spec.drop(meanwhile)).toBeNull();
    const left = visits.filter(({ linkId, occurredAtMs }) => linkId === '2' || occurredAtMs > HOUR + 2 * HOUR_MS);
    // Until the next sealing files hold what the buckets have lost: nobody is shown it.
    expect(await spec.listed()).toEqual(eventIdsOf([...left, cut[1]!]));
    await seal();
    await expectInFilesAlone([...left, cut[1]!]);
    expect(await spec.listed()).toEqual(eventIdsOf([...left, cut[1]!]));
  });

  it('stays while people are erased: in files they go first, and nobody loses a visit', async () => {
    const gone = enrichedVisit({ atMs: HOUR + 3, linkId: '1', visitor: '5' });
    await spec.commit([gone]);
    await seal();
    const people = { person: 'visitor' as const, hashes: ['5'], fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
    const eraser = new VisitEraser(spec.ledger.database, { hasSlots: true });
    const meanwhile = between(async () => {
      expect(await eraser.erase(await eraser.mark(people))).toBe(1);
    });
    const kept = await spec.drop(meanwhile);
    // Killed there, it goes on.
    await spec.erase(people);
    expect(await spec.ledger.differences()).toEqual([]);
    expect(kept).toBe('people are being erased from it');
    expect(await spec.drop()).toBeNull();
    await expectInFilesAlone(visits);
  });

  it('that was dropped loses who is erased at once; a damaged file, and what a purge left unclear, are named', async () => {
    const everything = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
    const of = (visitor: string) => ({ person: 'visitor' as const, hashes: [visitor], ...everything });
    const gone = [3, 30].map((hour) => enrichedVisit({ atMs: HOUR + hour * HOUR_MS, linkId: '1', visitor: '5' }));
    const cut = [1, 2].map((ms) => enrichedVisit({ atMs: HOUR + 2 * HOUR_MS + ms, linkId: '1', visitor: '6' }));
    await spec.commit([...gone, ...cut]);
    await seal();
    const meanwhile = between(() => spec.purge('1', HOUR + 2 * HOUR_MS + 2));
    expect(await spec.drop(meanwhile)).toBeNull();
    await expect(spec.erase(of('6'))).rejects.toMatchObject({ code: 'archive-seal-first' });
    await seal();
    expect([await spec.erase(of('6')), await spec.erase(of('5')), await spec.erase(of('5'))]).toEqual([1, 2, 0]);
    const left = visits.filter(({ linkId, occurredAtMs }) => linkId === '2' || occurredAtMs > HOUR + 2 * HOUR_MS);
    await expectInFilesAlone(left);
    const [first] = await spec.active();
    appendFileSync(spec.pathOf(first!), 'x');
    spec.restart();
    const again = () => expect(spec.erase(of('5'))).rejects.toMatchObject({ code: 'archive-file-damaged' });
    await again();
    await again();
  });

  it('is in files until ARCHIVE_DAYS; then its buckets are left, and from when on it is known is written down', async () => {
    await seal();
    const archive = (archiveDays: number) => spec.openArchive(undefined, { archiveDays });
    const boundary = () => spec.ledger.server.query('SELECT kept_from, archived_from FROM ledger_retention');
    const days = Math.floor((Date.now() - OCTOBER) / DAY_MS);
    // The ledger still has it, whatever it dropped before.
    await spec.ledger.server.query(`INSERT INTO ledger_retention (kept_from) VALUES ('2026-09-01Z')`);
    expect(await archive(days - 1).removeFiles(Date.now())).toMatchObject({ expired: 0 });
    await spec.drop();
    expect(await archive(days + 40).removeFiles(Date.now())).toMatchObject({ expired: 0 });
    expect(await archive(days - 1).removeFiles(Date.now())).toMatchObject({ expired: 3 });
    expect(await boundary()).toEqual([{ kept_from: new Date(OCTOBER), archived_from: new Date(OCTOBER) }]);
    expect(await spec.active()).toEqual([]);
    expect(spec.onDisk()).toHaveLength(3);
    await archive(days - 1).removeFiles(Date.now() + 2 * HOUR_MS);
    expect(spec.onDisk()).toEqual([]);
    expect(await spec.ledger.server.query('SELECT sum(visits)::int AS visits FROM link_traffic')).toEqual([
      { visits: 6 },
    ]);
    expect(await spec.archive.dueHours(OCTOBER, 'all')).toEqual([]);
  });
});
