import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { type EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, columnChunks, eventIdsOf, hourAt } from '../archive.spec-helpers.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { digestOf } from '../store/digest.js';
import type { LinkSummary } from '../summaries/link-summary.js';
import { addSummaries, readIndex, readSummary } from '../summaries/summary-block.js';
import { VISIT_COLUMNS } from '../visit-columns.js';

const HOUR = hourAt('10T08');
const LATER = HOUR + HOUR_MS;
const PLACES = [
  { country: 'FR', region: 'Île-de-France', city: 'Paris' },
  { country: 'US', region: 'Texas', city: 'Paris' },
  { country: 'unknown', region: 'unknown', city: 'Paris, TX' },
];

describe('a damaged file', () => {
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];

  beforeAll(async () => {
    spec = await ArchiveSpec.open();
    visits = Array.from({ length: 200 }, (_, n) =>
      enrichedVisit({
        atMs: HOUR + n,
        linkId: String(1 + (n % 5)),
        ...PLACES[n % 3],
        latitude: n / 7,
        longitude: n,
        osVersion: `${n}`,
        referrer: `https://r.test/${n}`,
        utm: { source: `${n}` },
        truncated: ['referrer'],
      }),
    );
    await spec.commit(visits);
    await spec.seal(LATER);
  });
  afterAll(() => spec.close());

  const only = async () => {
    const [file, ...more] = await spec.active();
    if (file === undefined || more.length > 0) throw new Error('expected one file');
    return file;
  };
  const flip = (path: string, offset: number) => {
    const bytes = readFileSync(path);
    bytes[offset] = (bytes[offset] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
  };

  /** As if it had been sealed like that. */
  const resealed = async (file: ArchiveFile) => {
    const { bytes, sha256 } = await digestOf(spec.pathOf(file));
    const update = "UPDATE archive_files SET bytes = $2, sha256 = decode($3, 'hex') WHERE id = $1";
    await spec.ledger.server.query(update, [file.id, bytes, sha256]);
  };

  it('is noticed whichever column a byte of it is flipped in', async () => {
    const file = await only();
    const path = spec.pathOf(file);
    const chunks = await columnChunks(path);
    expect(chunks.map(({ column }) => column).sort()).toEqual(VISIT_COLUMNS.map(({ name }) => name).sort());
    for (const { column, from, bytes } of chunks) {
      flip(path, from + Math.floor(bytes / 2));
      const { differences } = await spec.archive.verify(LATER);
      expect([column, differences.map(({ check }) => check)]).toEqual([column, expect.arrayContaining(['sha-256'])]);
      flip(path, from + Math.floor(bytes / 2));
    }
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [] });
  });

  it('is one that says of a link what its rows do not, which only a verification can know', async () => {
    const file = await only();
    const [path, kept] = [spec.pathOf(file), readFileSync(spec.pathOf(file))];
    const places = await readIndex(path);
    expect([...places.keys()].sort()).toEqual(['1', '2', '3', '4', '5']);
    const [of1, of2, of3, of4, of5] = await Promise.all(
      ['1', '2', '3', '4', '5'].map((link) => readSummary(path, places.get(link)!)),
    );
    const [first, ...others] = of1!.dimensions;
    const moved = { ...first!, values: [...first!.values, 'elsewhere'], visits: [...first!.visits, 1] };
    moved.visits[0]! -= 1;
    const inAnotherCountry = of3!.dimensions.map(({ values, ...rest }) => ({
      ...rest,
      values: rest.dimension === 'city' ? values.map((value) => value.replace('Paris, FR', 'Paris, DE')) : values,
    }));
    const cut = of4!.dimensions.map(({ visits: counts, ...rest }) => ({ ...rest, visits: counts.slice(1) }));
    const written = async function* (): AsyncGenerator<[string, LinkSummary]> {
      yield ['1', { ...of1!, dimensions: [moved, ...others] }];
      yield ['2', { ...of2!, days: of2!.days.map((day) => ({ ...day, checksum: '1' })) }];
      yield ['3', { ...of3!, dimensions: inAnotherCountry }];
      yield ['4', { ...of4!, dimensions: cut }];
      yield ['5', of5!];
      await Promise.resolve();
    };
    const noRoom = 10;
    expect([await addSummaries(path, written(), noRoom), readFileSync(path)]).toEqual([0, kept]);
    expect(await addSummaries(path, written())).toBe(5);
    await resealed(file);
    const { differences } = await spec.archive.verify(LATER);
    expect(differences).toMatchObject([
      { check: 'summaries', where: file.path, actual: 'those of links 1, 2, 3, 4 differ' },
    ]);
    writeFileSync(path, kept);
    await resealed(file);
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [] });
  });

  it('is found by the scrub, set aside and sealed again from the ledger', async () => {
    const file = await only();
    spec.damaged.length = 0;
    flip(spec.pathOf(file), file.bytes >> 1);
    expect(await spec.archive.scrub(Date.now() + 2 * DAY_MS)).toEqual({ checked: 1, failed: [] });
    expect([spec.damaged, await spec.active()]).toEqual([[file.path], []]);
    expect(await spec.archive.dueHours(LATER, 'all')).toEqual([HOUR]);
    expect(await spec.seal(LATER)).toMatchObject({ hours: 1, visits: visits.length });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(await spec.archive.manifest.summary()).toMatchObject({ active: { files: 1 }, damaged: { files: 1 } });
    expect(await spec.archive.scrub(Date.now())).toEqual({ checked: 0, failed: [] });
    await spec.archive.removeFiles(Date.now() + 8 * DAY_MS);
    expect(spec.onDisk()).toEqual([(await only()).path]);
  });

  it('is noticed when a process first opens it, and what a file lost is sealed with what came late', async () => {
    const file = await only();
    flip(spec.pathOf(file), 4 + (file.bytes >> 2));
    spec.restart();
    const late = enrichedVisit({ atMs: HOUR + 5_000, linkId: '3' });
    await spec.commit([late]);
    visits.push(late);
    expect(await spec.seal(LATER)).toMatchObject({ visits: visits.length, failed: [] });
    expect(spec.damaged).toContain(file.path);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });

  it('is out of use as soon as a verification has found it, stays a difference until its visits are held again', async () => {
    const file = await only();
    const check = { where: file.path, check: 'sha-256' };
    flip(spec.pathOf(file), file.bytes >> 1);
    expect((await spec.archive.verify(LATER)).differences).toContainEqual(expect.objectContaining(check));
    expect(await spec.active()).toEqual([]);
    expect(await spec.archive.manifest.damaged()).toContainEqual(
      expect.objectContaining({ path: file.path, heldBy: 'ledger' }),
    );
    expect((await spec.archive.verify(LATER)).differences).toContainEqual(expect.objectContaining(check));
    flip(spec.pathOf(file), file.bytes >> 1);
    // As after a restore of the file from a backup.
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], files: 1 });
    expect((await only()).path).toBe(file.path);
    flip(spec.pathOf(file), file.bytes >> 1);
    await spec.archive.verify(LATER);
    await spec.seal(LATER);
    expect(await spec.archive.manifest.damaged()).toContainEqual(
      expect.objectContaining({ path: file.path, heldBy: 'archive' }),
    );
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [] });
  });

  it('that is gone is as good as damaged', async () => {
    const file = await only();
    rmSync(spec.pathOf(file));
    expect((await spec.archive.verify(LATER)).differences).toMatchObject([
      { check: 'sha-256', actual: expect.stringContaining('missing or unreadable') },
      { check: 'buckets' },
    ]);
    // Set aside by the verification.
    expect(await spec.active()).toEqual([]);
    await spec.seal(LATER);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], visits: visits.length });
  });

  it('that cannot be opened keeps the scrub from no other', async () => {
    const next = Array.from({ length: 3 }, (_, n) => enrichedVisit({ atMs: LATER + n }));
    await spec.commit(next);
    await spec.seal(LATER + HOUR_MS);
    const [file, other] = await spec.active();
    renameSync(spec.pathOf(file!), `${spec.pathOf(file!)}.kept`);
    mkdirSync(spec.pathOf(file!));
    expect(await spec.archive.scrub(Date.now() + 2 * DAY_MS)).toMatchObject({
      checked: 1,
      failed: [{ what: file?.path, error: { code: 'EISDIR' } }],
    });
    expect((await spec.active()).map(({ path }) => path)).toEqual([file?.path, other?.path]);
    rmSync(spec.pathOf(file!), { recursive: true });
    renameSync(`${spec.pathOf(file!)}.kept`, spec.pathOf(file!));
    rmSync(spec.pathOf(other!));
    await spec.archive.scrub(Date.now() + 4 * DAY_MS);
    expect(await spec.active()).toHaveLength(1);
  });

  it('whose ledger is gone stays on disk: it may be all there is', async () => {
    await spec.ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(LATER)]);
    const file = await only();
    flip(spec.pathOf(file), file.bytes >> 1);
    await spec.archive.scrub(Date.now() + 2 * DAY_MS);
    await spec.archive.removeFiles(Date.now() + 30 * DAY_MS);
    expect(spec.onDisk()).toContain(file.path);
    expect(await spec.archive.manifest.damaged()).toContainEqual(
      expect.objectContaining({ path: file.path, heldBy: 'nothing' }),
    );
    expect(await spec.archive.dueHours(LATER, 'all')).toEqual([]);
  });
});
