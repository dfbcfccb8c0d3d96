import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';

import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import type { Transaction } from '@hopcount/postgres';
import { testS3, type TestS3 } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, columnChunks, hourAt } from '../archive.spec-helpers.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ArchiveReader } from '../read/archive-reader.js';
import { readSums } from '../read/read-sums.js';
import { EVERYBODY } from '../read/visits-of.js';
import { stampOf } from '../store/file-stamp.js';
import { flip, overwrite } from './file-damage.spec-helpers.js';

const DAY = hourAt('10T00');
const LATER = DAY + DAY_MS;
/** Of each hour. */
const VISITS = 4;
const FROM_FILES = { visits: 3 * VISITS, hoursOfLedger: 0 };

/** In the footer, wherever it says how many rows there are. */
function loseRow(path: string): void {
  const bytes = readFileSync(path);
  const footer = bytes.subarray(bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8), bytes.length - 8);
  const [said, less] = [VISITS, VISITS - 1].map((rows) => Buffer.from([0x16, 2 * rows]));
  for (let at = footer.indexOf(said!); at !== -1; at = footer.indexOf(said!, at + 1)) less!.copy(footer, at);
  overwrite(path, bytes);
}

const DAMAGES: [string, (path: string) => Promise<void> | void][] = [
  ['is cut short', (path) => truncateSync(path, 100)],
  [
    'has another byte among its rows, and the old time of its last write',
    async (path) => {
      const visitors = (await columnChunks(path)).find(({ column }) => column === 'visitor');
      flip(path, visitors!.from + (visitors!.bytes >> 1));
    },
  ],
  [
    'has another byte in its footer, and the old time of its last write',
    (path) => flip(path, statSync(path).size - 20),
  ],
  ['is gone', (path) => rmSync(path)],
];

describe.each(['a folder', 'a bucket'])('a file that is damaged after its first use, of an archive in %s', (place) => {
  let s3: TestS3 | undefined;
  let spec: ArchiveSpec;
  let reader: ArchiveReader;
  const readers: ArchiveReader[] = [];
  beforeAll(async () => {
    if (place === 'a bucket') s3 = await testS3();
  }, 400_000);
  afterAll(() => s3?.close());
  beforeEach(async () => {
    spec = await ArchiveSpec.open({ s3 });
    await spec.ledger.addLink('1');
    await spec.commit(
      [0, 1, 5].flatMap((hour) =>
        Array.from({ length: VISITS }, (_, n) => enrichedVisit({ atMs: DAY + hour * HOUR_MS + n, linkId: '1' })),
      ),
    );
    await spec.seal(LATER);
    reader = open();
  });
  afterEach(async () => {
    for (const one of readers.splice(0)) await one.close();
    await spec.close();
  });

  /** As another process with the same folders. */
  const open = () => {
    const one = new ArchiveReader(spec.ledger.database, { root: spec.bucket ?? spec.root, memoryMb: 128 });
    readers.push(one);
    return one;
  };
  /** What DuckDB reads: the file, or its copy. */
  const readAt = (file: ArchiveFile) =>
    spec.bucket === undefined ? spec.pathOf(file) : join(spec.bucket.cacheFolder, 'files', basename(file.path));
  const inSnapshot = <T>(work: (tx: Transaction) => Promise<T>) =>
    spec.ledger.database.transaction(work, { isolation: 'REPEATABLE READ', readOnly: true });
  /** How many visits files answer for, and for how many hours the ledger has to. */
  const ask = (one = reader) =>
    inSnapshot((tx) => {
      const asked = { linkId: '1', from: DAY, to: LATER, starts: [DAY] };
      const days = () => readSums(tx, asked, '1 day');
      return one.link(tx, { ...asked, days }, async ({ files, fromLedger }) => ({
        visits: (await files?.count()) ?? 0,
        hoursOfLedger: fromLedger.reduce((hours, { from, to }) => hours + (to - from) / HOUR_MS, 0),
      }));
    });
  /** How many visits of all links files answer for; no file is read before `beforeReading`. */
  const sum = (beforeReading: () => void = () => undefined) =>
    inSnapshot((tx) => {
      const question = { of: EVERYBODY, from: DAY, to: LATER, signal: undefined };
      return reader.visits(tx, question, async ({ files }) => {
        beforeReading();
        return (await files?.sum([], undefined))?.visits;
      });
    });

  it.each(DAMAGES)('is never answered from where it %s', async (_damage, harm) => {
    for (let time = 1; time <= 2; time += 1) expect(await ask()).toEqual(FROM_FILES);
    const [first] = await spec.active();
    await harm(readAt(first!));
    if (place === 'a folder') {
      expect(await ask()).toEqual({ visits: 2 * VISITS, hoursOfLedger: 1 });
      expect(await spec.active()).toHaveLength(2);
      return;
    }
    expect(await ask()).toEqual(FROM_FILES);
    expect(readFileSync(readAt(first!)).equals(readFileSync(spec.pathOf(first!)))).toBe(true);
    expect(await spec.active()).toHaveLength(3);
  });

  it('is out of an answer that is under way, and what was read of it is forgotten when it is whole again', async () => {
    const [first] = await spec.active();
    // Before the first look at it, so that DuckDB reads the footer that is wrong.
    if (place === 'a bucket') await open().checkFiles();
    const path = readAt(first!);
    const whole = readFileSync(path);
    let harmed = 0;
    const answer = await sum(() => {
      if ((harmed += 1) === 1) loseRow(path);
    });
    expect([harmed, answer]).toEqual([2, place === 'a folder' ? 2 * VISITS : 3 * VISITS]);
    if (place === 'a folder') {
      overwrite(path, whole);
      await spec.archive.scrub(Date.now());
    }
    expect(await spec.active()).toHaveLength(3);
    expect(await sum()).toBe(3 * VISITS);
  });

  it('is out of use in every process as soon as one has verified the archive, also where the file system shows no change', async () => {
    const other = open();
    for (const one of [reader, other]) expect(await ask(one)).toEqual(FROM_FILES);
    const [first] = await spec.active();
    const stamp = await stampOf(readAt(first!));
    // As if its bytes were others than those that were sealed, behind the back of the file system.
    await spec.ledger.server.query(`UPDATE archive_files SET sha256 = sha256('rotten') WHERE id = $1`, [first!.id]);
    expect(await ask(other)).toEqual(FROM_FILES);
    expect((await spec.archive.verify(LATER)).differences).toContainEqual(
      expect.objectContaining({ where: first!.path, check: 'sha-256' }),
    );
    for (const one of [reader, other]) expect(await ask(one)).toEqual({ visits: 2 * VISITS, hoursOfLedger: 1 });
    expect(await sum()).toBe(2 * VISITS);
    expect(await stampOf(readAt(first!))).toBe(stamp);
  });

  it('is no error where several processes use one folder at once, none of which writes to a file', async () => {
    const other = open();
    for (const one of [reader, other]) await one.checkFiles();
    const all = await Promise.all([ask(), ask(other), ask(), ask(other)]);
    expect(all).toEqual(Array(4).fill(FROM_FILES));
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 3]);
  });
});
