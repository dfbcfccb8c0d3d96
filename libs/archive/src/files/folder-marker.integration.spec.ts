import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Archive } from '../archive.js';
import { ArchiveSpec, eventIdsOf, hourAt } from '../archive.spec-helpers.js';

const HOUR = hourAt('10T08');
const LATER = HOUR + HOUR_MS;
const MISSING = { code: 'archive-folder-missing' };

describe('the folder of the archive', () => {
  let spec: ArchiveSpec;
  const visits = Array.from({ length: 20 }, (_, n) => enrichedVisit({ atMs: HOUR + n }));
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.commit(visits);
    await spec.seal(LATER);
  });
  afterEach(() => spec.close());

  /** As when a volume is not mounted: an empty folder stands in its place. */
  const unmount = () => {
    renameSync(spec.root, `${spec.root}.away`);
    mkdirSync(spec.root);
  };
  const mount = () => {
    rmSync(spec.root, { recursive: true });
    renameSync(`${spec.root}.away`, spec.root);
  };

  it('is missed while it is not mounted: nothing is set aside, written or removed', async () => {
    unmount();
    spec.restart();
    const { archive } = spec;
    await expect(archive.scrub(Date.now() + 2 * DAY_MS)).rejects.toMatchObject(MISSING);
    await expect(archive.seal([HOUR])).rejects.toMatchObject(MISSING);
    await expect(archive.merge(LATER, Date.now())).rejects.toMatchObject(MISSING);
    await expect(archive.removeFiles(Date.now() + 9 * DAY_MS)).rejects.toMatchObject(MISSING);
    await expect(archive.verify(LATER)).rejects.toMatchObject(MISSING);
    expect([spec.damaged, readdirSync(spec.root), (await spec.active()).length]).toEqual([[], [], 1]);
    mount();
    expect(await archive.verify(LATER)).toMatchObject({ differences: [], visits: 20, dueHours: [] });
    expect(await archive.scrub(Date.now() + 2 * DAY_MS)).toMatchObject({ checked: 1, failed: [] });
  });

  it('is missed when it goes away in the middle of a run', async () => {
    await spec.commit([enrichedVisit({ atMs: HOUR + 500 })]);
    spec.restart();
    const { manifest } = spec.archive;
    const incarnation = manifest.incarnation.bind(manifest);
    manifest.incarnation = () => {
      unmount();
      return incarnation();
    };
    await expect(spec.seal(LATER)).rejects.toMatchObject(MISSING);
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 1]);
    mount();
    manifest.incarnation = incarnation;
    expect(await spec.seal(LATER)).toMatchObject({ visits: 1, failed: [] });
  });

  it('is no other folder while files count in it; then it may be', async () => {
    const root = mkdtempSync(join(tmpdir(), 'other-archive-'));
    const other = new Archive(spec.ledger.database, { root, memoryMb: 128 });
    await spec.commit([enrichedVisit({ atMs: HOUR + 500 })]);
    await expect(other.seal([HOUR])).rejects.toMatchObject(MISSING);
    expect(readdirSync(root)).toEqual([]);
    await spec.ledger.server.query('TRUNCATE archive_files CASCADE');
    expect(await other.seal([HOUR])).toMatchObject({ visits: 21, failed: [] });
    await expect(spec.archive.seal([HOUR])).rejects.toMatchObject(MISSING);
    rmSync(root, { recursive: true });
  });

  describe('of another ledger', () => {
    let other: ArchiveSpec;
    beforeEach(async () => {
      other = await ArchiveSpec.open();
      // Ledgers of specs are copies of one.
      await other.ledger.server.query(
        `UPDATE ledger_incarnation SET incarnation = gen_random_uuid(), first_incarnation = gen_random_uuid()`,
      );
      await other.commit([enrichedVisit({ atMs: HOUR + 500 })]);
    });
    afterEach(() => other.close());

    it('is refused before anything is written to it or removed from it', async () => {
      const before = readdirSync(spec.root, { recursive: true });
      const foreign = other.openArchive(spec.root);
      await expect(foreign.seal([HOUR])).rejects.toMatchObject({ code: 'archive-folder-foreign' });
      await expect(foreign.removeFiles(Date.now() + 9 * DAY_MS)).rejects.toMatchObject({
        code: 'archive-folder-foreign',
      });
      expect(readdirSync(spec.root, { recursive: true })).toEqual(before);
      expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], visits: 20 });
    });

    it('is taken over once an operator removed its id', async () => {
      rmSync(join(spec.root, 'archive-id'));
      expect(await other.openArchive(spec.root).seal([HOUR])).toMatchObject({ visits: 1, failed: [] });
    });
  });

  it('is its own for a ledger that was restored to before its first sealing, and when a process died between its id and PostgreSQL', async () => {
    await spec.ledger.server.query('TRUNCATE archive_files, archive_folder CASCADE');
    await spec.ledger.server.query(`UPDATE ledger_incarnation SET incarnation = gen_random_uuid()`);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 20, failed: [] });

    const root = mkdtempSync(join(tmpdir(), 'other-archive-'));
    writeFileSync(join(root, 'archive-id'), `${randomUUID()}\n`);
    await spec.ledger.server.query('TRUNCATE archive_files, archive_folder CASCADE');
    expect(await spec.openArchive(root).seal([HOUR])).toMatchObject({ visits: 20, failed: [] });
    rmSync(root, { recursive: true });
  });

  it('of which a file alone is gone is still the folder', async () => {
    const [file] = await spec.active();
    rmSync(spec.pathOf(file!));
    spec.restart();
    await spec.archive.scrub(Date.now() + 2 * DAY_MS);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 20, failed: [] });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });
});
