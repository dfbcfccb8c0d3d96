import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { testS3, type TestS3 } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from './archive.spec-helpers.js';
import { ArchiveReader } from './read/archive-reader.js';
import { readSums } from './read/read-sums.js';
import { EVERYBODY } from './read/visits-of.js';
import { CorruptingProxy } from './store/corrupting-proxy.spec-helpers.js';

const DAY = hourAt('10T00');
const LATER = DAY + DAY_MS;
const AWAY = { code: 'archive-store-away' };

describe('an archive in a bucket', () => {
  let s3: TestS3;
  /** To a server that is never ended: that takes it seconds each time. */
  let line: CorruptingProxy;
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];
  beforeAll(async () => {
    s3 = await testS3();
    line = await CorruptingProxy.listen(new URL(s3.endpoint));
  }, 400_000);
  afterAll(async () => {
    await line.cut();
    await s3.close();
  });
  beforeEach(async () => {
    await line.mend();
    spec = await ArchiveSpec.open({ s3: { ...s3, endpoint: line.url } });
    for (const link of ['1', '2', '3']) await spec.ledger.addLink(link);
    visits = [0, 1, 5].flatMap((hour) => visitsAt(DAY + hour * HOUR_MS, 12));
    await spec.commit(visits);
  });
  afterEach(() => spec.close());

  const visitsAt = (atMs: number, count: number) =>
    Array.from({ length: count }, (_, n) => enrichedVisit({ atMs: atMs + n, linkId: String(1 + (n % 3)) }));
  const flip = (path: string) => {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 0xff;
    writeFileSync(path, bytes);
  };
  const forgetCopies = () => rmSync(join(spec.bucket?.cacheFolder ?? '', 'files'), { recursive: true, force: true });
  async function expectWhole(): Promise<void> {
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    const verified = { differences: [], dueHours: [], purgedVisits: 0, visits: visits.length };
    expect(await spec.archive.verify(LATER)).toMatchObject(verified);
  }

  it('seals hours, late visits and purges, merges files and removes what they replaced', async () => {
    expect(await spec.seal(LATER)).toMatchObject({ hours: 3, visits: 36, failed: [] });
    await expectWhole();
    const late = visitsAt(DAY + 30_000, 3);
    await spec.commit(late);
    visits.push(...late);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 3, failed: [] });
    expect(await spec.archive.merge(LATER, Date.now())).toEqual({ files: 4, into: 1, failed: [] });
    await expectWhole();
    await spec.purge('1', LATER);
    visits = visits.filter(({ linkId }) => linkId !== '1');
    expect(await spec.seal(LATER)).toMatchObject({ removedVisits: 13, failed: [] });
    await spec.archive.removeFiles(Date.now() + 2 * HOUR_MS);
    expect(spec.onDisk()).toEqual((await spec.active()).map(({ path }) => path));
    await expectWhole();
    expect(await spec.archive.scrub(Date.now() + 8 * DAY_MS)).toEqual({ checked: 1, failed: [] });
    expect(spec.inWork()).toEqual([]);
  });

  it('takes what is too much in several hours out of their file in one writing, though its copies differ in name', async () => {
    await spec.seal(LATER);
    await spec.archive.merge(LATER, Date.now());
    for (const table of ['visits', 'link_traffic']) {
      await spec.ledger.server.query(`DELETE FROM ${table} WHERE link_id = 1`);
    }
    visits = visits.filter(({ linkId }) => linkId !== '1');
    expect(await spec.seal(LATER)).toMatchObject({ removedVisits: 12, failed: [] });
    expect((await spec.archive.manifest.allFiles()).filter(({ level }) => level === 'day')).toHaveLength(2);
    await expectWhole();
  });

  it('sets a damaged or lost object aside and seals it again from the ledger', async () => {
    await spec.seal(LATER);
    const [first, second, third] = await spec.active();
    flip(spec.pathOf(first!));
    rmSync(spec.pathOf(second!));
    expect((await spec.archive.verify(LATER)).differences).toEqual(
      expect.arrayContaining([first, second].map((file) => expect.objectContaining({ where: file?.path }))),
    );
    forgetCopies();
    await spec.archive.scrub(Date.now() + 8 * DAY_MS);
    expect(spec.damaged.sort()).toEqual([first?.path, second?.path].sort());
    flip(spec.pathOf(third!));
    const late = visitsAt(DAY + 5 * HOUR_MS + 5_000, 1);
    await spec.commit(late);
    visits.push(...late);
    spec.restart();
    forgetCopies();
    expect(await spec.seal(LATER)).toMatchObject({ visits: 37, failed: [] });
    expect(spec.damaged).toHaveLength(3);
    await expectWhole();
  });

  it('leaves everything as it is while the server is away, and goes on when it is back', async () => {
    const late = visitsAt(DAY + 5_000, 2);
    await spec.seal(DAY + HOUR_MS);
    await spec.commit(late);
    await line.cut();
    spec.restart();
    forgetCopies();
    const { archive } = spec;
    await expect(spec.seal(LATER)).rejects.toMatchObject(AWAY);
    await expect(archive.merge(LATER, Date.now())).rejects.toMatchObject(AWAY);
    await expect(archive.scrub(Date.now() + 8 * DAY_MS)).rejects.toMatchObject(AWAY);
    await expect(archive.removeFiles(Date.now() + 8 * DAY_MS)).rejects.toMatchObject(AWAY);
    await expect(archive.verify(LATER)).rejects.toMatchObject(AWAY);
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 1]);
    await line.mend();
    visits.push(...late);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 26, failed: [] });
    await expectWhole();
  });

  it.each([
    ['before a file is written', 'incarnation'],
    ['before a file counts', 'folderId'],
  ] as const)('ends a run when the server goes away in its middle, %s', async (_when, step) => {
    const { manifest } = spec.archive;
    await spec.seal(DAY + HOUR_MS);
    const original = manifest[step].bind(manifest) as () => Promise<string>;
    let calls = 0;
    // The store's id is asked for when a run begins, and once more before each file counts.
    manifest[step] = async () => {
      if ((calls += 1) === (step === 'folderId' ? 2 : 1)) await line.cut();
      return original();
    };
    await expect(spec.seal(LATER)).rejects.toMatchObject(AWAY);
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 1]);
    manifest[step] = original;
    await line.mend();
    expect(await spec.seal(LATER)).toMatchObject({ visits: 24, failed: [] });
    await expectWhole();
    await spec.archive.removeFiles(Date.now() + 2 * DAY_MS);
    expect(spec.onDisk()).toEqual((await spec.active()).map(({ path }) => path).sort());
    expect(spec.inWork()).toEqual([]);
  });

  it('is missed when the bucket is another one, and nothing is set aside', async () => {
    await spec.seal(LATER);
    const other = spec.openArchive({ ...spec.bucket!, prefix: 'another' });
    forgetCopies();
    await expect(other.scrub(Date.now() + 8 * DAY_MS)).rejects.toMatchObject({ code: 'archive-folder-missing' });
    await expect(other.seal([DAY])).rejects.toMatchObject({ code: 'archive-folder-missing' });
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 3]);
  });

  it('lets the ledger lose a month only while the server shows it whole, and gives the month back', async () => {
    await spec.seal(LATER);
    const ledgerRows = async () => (await spec.where()).ledger;
    await line.cut();
    await expect(spec.drop()).rejects.toMatchObject(AWAY);
    expect([await ledgerRows(), spec.damaged]).toEqual([36, []]);
    await line.mend();
    const [first] = await spec.active();
    // There is a copy of it that is whole.
    flip(spec.pathOf(first!));
    expect(await spec.drop()).toContain(`${first?.path} is damaged`);
    expect(await ledgerRows()).toBe(36);
    await spec.seal(LATER);
    expect(await spec.drop()).toBeNull();
    expect(await ledgerRows()).toBe(0);
    await expectWhole();
    await line.cut();
    forgetCopies();
    await expect(spec.archive.restore(DAY, { keepUntilMs: 0 })).rejects.toMatchObject(AWAY);
    await line.mend();
    expect(await spec.archive.restore(DAY, { keepUntilMs: 0 })).toMatchObject({ visits: 36 });
    expect(await ledgerRows()).toBe(36);
  });

  describe('is read', () => {
    let reader: ArchiveReader;
    beforeEach(async () => {
      await spec.seal(LATER);
      reader = new ArchiveReader(spec.ledger.database, { root: spec.bucket, memoryMb: 128 });
    });
    afterEach(() => reader.close());

    /** How many visits of link 1 files answer for, and of how many hours the ledger has to. */
    const ask = () =>
      spec.ledger.database.transaction(
        async (tx) => {
          const asked = { linkId: '1', from: DAY, to: LATER, starts: [DAY] };
          const days = () => readSums(tx, asked, '1 day');
          return reader.link(tx, { ...asked, days }, async ({ files, fromLedger, unknown }) => ({
            visits: (await files?.count()) ?? 0,
            hoursOfLedger: fromLedger.reduce((sum, { from, to }) => sum + (to - from) / HOUR_MS, 0),
            unknown,
          }));
        },
        { isolation: 'REPEATABLE READ', readOnly: true },
      );
    const forgetCopyOf = (file: { path: string } | undefined) =>
      rmSync(join(spec.bucket?.cacheFolder ?? '', 'files', basename(file?.path ?? '')));

    it('from copies while the server is away, and what has no copy is read from the ledger while that has it', async () => {
      await reader.checkFiles();
      await line.cut();
      expect(await ask()).toEqual({ visits: 12, hoursOfLedger: 0, unknown: [] });
      const [first] = await spec.active();
      forgetCopyOf(first);
      expect(await ask()).toEqual({ visits: 8, hoursOfLedger: 1, unknown: [] });
      await spec.ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(LATER)]);
      await expect(ask()).rejects.toMatchObject({ code: 'archive-unreadable', retryable: true });
      forgetCopies();
      await expect(ask()).rejects.toMatchObject({ code: 'archive-unreadable' });
      await line.mend();
      expect(await ask()).toEqual({ visits: 12, hoursOfLedger: 0, unknown: [] });
      // DuckDB's folder lasts as long as the reader.
      const left = spec.inWork().filter((name) => !name.startsWith('spill-'));
      expect([spec.damaged, left]).toEqual([[], []]);
    });

    it('without a request to the server where there are copies of all files, also to judge sums', async () => {
      await reader.checkFiles();
      await spec.ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(LATER)]);
      await line.cut();
      const question = { of: EVERYBODY, from: DAY, to: LATER, signal: undefined };
      const [counted, unknown] = await spec.ledger.database.transaction(
        async (tx) => [
          await reader.visits(tx, question, ({ files }) => files!.sum([], undefined)),
          await reader.unknown(tx, question),
        ],
        { isolation: 'REPEATABLE READ', readOnly: true },
      );
      expect([counted, unknown]).toMatchObject([{ visits: 36 }, []]);
    });

    it('whole, or as too large a question, where its files do not fit into the folder of copies', async () => {
      const cacheBytes = (await spec.active()).reduce((sum, { bytes }) => sum + bytes, -1);
      await reader.close();
      reader = new ArchiveReader(spec.ledger.database, {
        root: { ...spec.bucket!, cacheBytes },
        memoryMb: 128,
      });
      forgetCopies();
      await reader.checkFiles();
      const latest = (await spec.active()).slice(1).map(({ path }) => basename(path));
      expect(readdirSync(join(spec.bucket?.cacheFolder ?? '', 'files')).sort()).toEqual(latest.sort());
      expect(await ask()).toMatchObject({ visits: expect.any(Number), unknown: [] });
      await spec.ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(LATER)]);
      await expect(ask()).rejects.toMatchObject({ code: 'archive-question-too-large' });
    });
  });

  it('is worked on by several processes with one folder of copies', async () => {
    const workers = [spec.archive, spec.openArchive()];
    const reports = await Promise.all(workers.map(async (one) => one.seal(await one.dueHours(LATER, 'all'))));
    for (const { failed } of reports)
      for (const { error } of failed) expect(error).toMatchObject({ code: 'archive-moved-on' });
    await Promise.all(workers.map((one) => one.merge(LATER, Date.now())));
    await expectWhole();
  });
});
