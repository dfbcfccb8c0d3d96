import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { testS3, type TestS3 } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, columnChunks, hourAt } from '../archive.spec-helpers.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { ArchiveReader } from '../read/archive-reader.js';
import type { LinkSources } from '../read/link-sources.js';
import { readSums } from '../read/read-sums.js';

const DAY = hourAt('10T00');
const LATER = DAY + DAY_MS;
/** Of each hour. */
const VISITS = 4;
const FROM_FILES = { visits: 3 * VISITS, hoursOfLedger: 0 };

/** As a failing disk does it: one byte and the time of change differ, and nothing else. */
function flipUnseen(path: string, at: number, change = (byte: number) => byte ^ 1): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[at] = change(bytes[at]!);
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

const DAMAGES: [string, (path: string) => Promise<void> | void][] = [
  ['is cut short', (path) => truncateSync(path, 100)],
  [
    'has another byte among its rows, and the old time of its last write',
    async (path) => {
      const visitors = (await columnChunks(path)).find(({ column }) => column === 'visitor');
      flipUnseen(path, visitors!.from + (visitors!.bytes >> 1));
    },
  ],
  [
    'has another byte in its footer, and the old time of its last write',
    (path) => flipUnseen(path, statSync(path).size - 20),
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
  /** How many visits files answer for, and for how many hours the ledger has to. */
  const ask = (one = reader, beforeCounting: (sources: LinkSources) => Promise<void> | void = () => undefined) =>
    spec.ledger.database.transaction(
      async (tx) => {
        const asked = { linkId: '1', from: DAY, to: LATER, starts: [DAY] };
        const days = () => readSums(tx, asked, '1 day');
        return one.link(tx, { ...asked, days }, async (sources) => {
          await beforeCounting(sources);
          const hoursOfLedger = sources.fromLedger.reduce((sum, { from, to }) => sum + (to - from) / HOUR_MS, 0);
          return { visits: (await sources.files?.count()) ?? 0, hoursOfLedger };
        });
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );

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

  it('is out of every answer that was under way, and is used again once it is whole', async () => {
    expect(await ask()).toEqual(FROM_FILES);
    const [first] = await spec.active();
    const whole = readFileSync(readAt(first!));
    let harmed = 0;
    const answer = await ask(reader, () => {
      if ((harmed += 1) === 1) flipUnseen(readAt(first!), whole.length - 20);
    });
    expect([harmed, answer.visits + answer.hoursOfLedger * VISITS]).toEqual([2, 3 * VISITS]);
    if (place === 'a folder') {
      const { atime, mtime } = statSync(readAt(first!));
      writeFileSync(readAt(first!), whole);
      utimesSync(readAt(first!), atime, mtime);
      await spec.archive.scrub(Date.now());
    }
    expect(await ask()).toEqual(FROM_FILES);
  });

  it('is no error where several processes use one folder at once, none of which writes to a file', async () => {
    const other = open();
    for (const one of [reader, other]) await one.checkFiles();
    const all = await Promise.all([ask(), ask(other), ask(), ask(other)]);
    expect(all).toEqual(Array(4).fill(FROM_FILES));
    expect([spec.damaged, (await spec.active()).length]).toEqual([[], 3]);
  });
});
