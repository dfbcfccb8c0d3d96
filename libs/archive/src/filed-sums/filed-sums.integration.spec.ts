import { appendFileSync } from 'node:fs';

import {
  areHostSumsExact,
  type EnrichedVisit,
  HostFold,
  HOUR_MS,
  LedgerRebuild,
  unattributedRanges,
} from '@hopcount/ledger';
import { randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, hourAt } from '../archive.spec-helpers.js';
import { expectedSums, type GroupedVisit, keptSums } from './kept-sums.spec-helpers.js';

const HOUR = hourAt('10T08');
const OCTOBER = Date.UTC(2026, 9, 1);
const NEVER = OCTOBER;

describe('sums by group and host of a month that the ledger dropped', () => {
  let spec: ArchiveSpec;
  let visits: GroupedVisit[];
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.ledger.server.query(`INSERT INTO groups (id, name) VALUES ('spring', 'Spring'), ('autumn', 'Autumn')`);
    for (const link of ['1', '2', '3']) await spec.ledger.addLink(link);
    await move('1', 'spring');
    await move('2', 'autumn');
    visits = [];
    await commit(randomVisits(20));
    await move('1', 'autumn');
    await commit(randomVisits(20));
    await spec.seal(OCTOBER);
    await spec.archive.merge(OCTOBER, Date.now());
    expect(await spec.drop()).toBeNull();
  });
  afterEach(() => spec.close());

  const groups = new Map<string, string>();
  async function move(link: string, group: string | null) {
    await spec.ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [link, group]);
    groups.set(link, group ?? '');
  }
  const random = randomSource(11);
  function randomVisits(each: number) {
    return ['1', '2', '3'].flatMap((link) =>
      Array.from({ length: each }, (_, n) =>
        randomVisit(random, link, HOUR + (n % 4) * HOUR_MS + random.below(HOUR_MS)),
      ),
    );
  }
  async function commit(some: readonly EnrichedVisit[]) {
    await spec.commit(some);
    visits.push(...some.map((visit) => ({ ...visit, groupId: groups.get(visit.linkId) ?? '' })));
  }
  async function purge(link: string, beforeMs: number) {
    await spec.purge(link, beforeMs);
    visits = visits.filter(({ linkId, occurredAtMs }) => linkId !== link || occurredAtMs >= beforeMs);
  }
  const expectSums = async () => expect(await keptSums(spec.ledger)).toEqual(expectedSums(visits));

  it('lose what is purged where it was counted: at the next sealing, and until then they are said not to be exact', async () => {
    await move('1', null);
    await purge('1', HOUR + 2 * HOUR_MS);
    expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
    const { scopes, slots, ...others } = await keptSums(spec.ledger);
    expect({ scopes, slots }).toEqual({ scopes: expectedSums(visits).scopes, slots: expectedSums(visits).slots });
    // Nothing is ever below zero meanwhile: the visits are where they were.
    expect(Object.values({ ...others.groups, ...others.hostsOfAllTime }).filter((sum) => sum.startsWith('-'))).toEqual(
      [],
    );
    expect(await spec.ledger.differences()).toEqual([]);
    expect(await spec.seal(OCTOBER)).toMatchObject({ failed: [], attributed: expect.any(Number) });
    // Lists of hosts are read without changes that wait, such as this correction.
    const areExact = () =>
      Promise.all([false, true].map((folded) => areHostSumsExact(spec.ledger.database, { folded })));
    expect(await areExact()).toEqual([true, false]);
    await new HostFold(spec.ledger.database).fold();
    expect(await areExact()).toEqual([true, true]);
    await expectSums();
    expect(await spec.ledger.differences()).toEqual([]);
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [] });
  });

  it('are those of the visits after a link is deleted for good and the month is restored', async () => {
    await move('1', 'autumn');
    await purge('1', NEVER);
    await spec.seal(OCTOBER);
    await spec.archive.restore(HOUR, { keepUntilMs: 0 });
    await expectSums();
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it('lose an erased person at once, beside a purge that is not out of them yet', async () => {
    await purge('2', HOUR + HOUR_MS);
    await spec.seal(OCTOBER);
    await purge('1', HOUR + 2 * HOUR_MS);
    const visitor = visits.find((visit) => visit.visitor !== null)?.visitor ?? '';
    const everything = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
    await spec.erase({ person: 'visitor', hashes: [visitor], ...everything });
    visits = visits.filter((visit) => visit.visitor !== visitor);
    await spec.seal(OCTOBER);
    await expectSums();
    expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
  });

  it('stay not exact where a file of the purged visits is damaged, whatever is sealed', async () => {
    const [file] = await spec.active();
    appendFileSync(spec.pathOf(file!), 'x');
    spec.restart();
    await purge('1', NEVER);
    await spec.seal(OCTOBER);
    expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it.each([
    ['group', `UPDATE scope_traffic SET scope_id = 'autumn' WHERE scope = 'group' AND scope_id = 'spring'`, 'groups'],
    [
      'host',
      `UPDATE host_traffic SET p = p + 1 WHERE ctid = (SELECT ctid FROM host_traffic WHERE kind = 0 LIMIT 1)`,
      'hosts',
    ],
  ])('verify names a wrong sum of a %s, and rebuild makes it what files say', async (_, damage, check) => {
    await spec.ledger.server.query('SELECT 1');
    await new LedgerRebuild(spec.ledger.database).rebuildHosts();
    await spec.ledger.server.query(
      `DELETE FROM scope_traffic WHERE scope = 'group' AND scope_id = 'autumn' AND ${check === 'groups'}`,
    );
    await spec.ledger.server.query(damage);
    const { differences } = await spec.archive.verify(OCTOBER);
    expect(new Set(differences.map((found) => found.check))).toEqual(new Set([check]));
    expect(await spec.archive.rebuildSums()).toMatchObject({ failed: [] });
    await new LedgerRebuild(spec.ledger.database).rebuildHosts();
    await expectSums();
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [] });
  });

  it('are no difference to verify between the sealing and their correction, which the next sealing makes', async () => {
    const { manifest } = spec.archive;
    await purge('1', HOUR + 2 * HOUR_MS);
    const holdsExactly = manifest.holdsExactly.bind(manifest);
    manifest.holdsExactly = () => Promise.resolve(false);
    const { failed } = await spec.seal(OCTOBER);
    expect(failed.map(({ what }) => what)).toEqual(['sums of 2026-09']);
    expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], purgedVisits: 0 });
    manifest.holdsExactly = holdsExactly;
    await spec.seal(OCTOBER);
    await expectSums();
  });

  it('are no difference to verify where files are replaced after it has read them', async () => {
    const { manifest } = spec.archive;
    const other = spec.openArchive();
    const files = manifest.files.bind(manifest);
    let isPurged = false;
    manifest.files = async (range, through) => {
      const listed = await files(range, through);
      // Not the list of the month's own snapshot: the one of which sums by group and host are read.
      if (through === undefined && !isPurged) {
        isPurged = true;
        await purge('1', HOUR + 2 * HOUR_MS);
        await other.seal(await other.dueHours(OCTOBER, 'all'));
      }
      return listed;
    };
    expect((await spec.archive.verify(OCTOBER)).differences).toEqual([]);
    manifest.files = files;
    expect([isPurged, (await spec.archive.verify(OCTOBER)).differences]).toEqual([true, []]);
    await expectSums();
  });

  it('are right after purges, sealings, rebuilds and verifications of the month at the same time', async () => {
    const rebuild = new LedgerRebuild(spec.ledger.database);
    const archives = [spec.archive, spec.openArchive()];
    for (const hour of [1, 2, 3]) {
      const before = HOUR + hour * HOUR_MS;
      const [reports] = await Promise.all([
        Promise.all([
          ...archives.map(async (one) => (await one.seal(await one.dueHours(OCTOBER, 'all'))).failed),
          archives[1]!.rebuildSums().then(({ failed }) => failed),
        ]),
        ...['1', '2', '3'].map((link) => purge(link, before)),
        rebuild.rebuildScopes(),
        rebuild.rebuildHosts(),
        spec.ledger.differences().then((differences) => expect(differences).toEqual([])),
      ]);
      // Each other's files are replaced meanwhile; all else is for later.
      for (const { error } of reports.flat()) expect(error).toMatchObject({ code: 'archive-moved-on' });
    }
    await spec.seal(OCTOBER);
    await expectSums();
    expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
    expect((await spec.archive.verify(OCTOBER)).differences).toEqual([]);
  });

  it('stay inexact with one note of each quarter hour and class where ARCHIVE_DAYS removed the files, until all of it is purged', async () => {
    const { database, server } = spec.ledger;
    const notes = async () =>
      (
        await server.query<{ notes: number; places: number }>(
          'SELECT count(*)::int AS notes, count(DISTINCT (bucket, class))::int AS places FROM unattributed_purges',
        )
      )[0]!;
    await server.query(`UPDATE ledger_retention SET archived_from = kept_from`);
    await server.query('DELETE FROM archive_files');
    for (const link of ['1', '2']) await spec.purge(link, OCTOBER);
    expect((await notes()).notes).toBeGreaterThan((await notes()).places);
    await spec.seal(OCTOBER);
    const { notes: merged, places } = await notes();
    expect([merged, await unattributedRanges(database)]).toEqual([places, []]);
    expect(await areHostSumsExact(database)).toBe(false);
    expect(await spec.ledger.differences()).toEqual([]);
    await spec.purge('3', OCTOBER);
    await spec.seal(OCTOBER);
    expect([await notes(), await areHostSumsExact(database)]).toEqual([{ notes: 0, places: 0 }, true]);
    visits = [];
    await expectSums();
  });

  it('are no difference to verify right after the upgrade, before the worker has looked at earlier purges', async () => {
    await spec.ledger.server.query(
      `INSERT INTO unattributed_purges (bucket, class, visits, checksum) VALUES ('-infinity', 0, 0, 0)`,
    );
    expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
    expect(await spec.ledger.differences()).toEqual([]);
    expect((await spec.archive.verify(OCTOBER)).differences).toEqual([]);
    await new LedgerRebuild(spec.ledger.database).rebuildScopes();
    await new LedgerRebuild(spec.ledger.database).rebuildHosts();
    await expectSums();
    await spec.seal(OCTOBER);
    expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
  });

  it('are looked at once where purges of before were taken from other groups and hosts', async () => {
    await purge('1', HOUR + 2 * HOUR_MS);
    // As before purges were noted: from the group of now and from no host at all.
    await spec.ledger.server.query('DELETE FROM unattributed_purges');
    await spec.ledger.server.query(
      `INSERT INTO unattributed_purges (bucket, class, visits, checksum) VALUES ('-infinity', 0, 0, 0)`,
    );
    expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
    await spec.seal(OCTOBER);
    await expectSums();
    expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
  });
});
