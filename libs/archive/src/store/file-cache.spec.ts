import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { WorkFolder } from '../files/work-folder.js';
import { FileCache } from './file-cache.js';
import { stampOf } from './file-stamp.js';

const MAX_BYTES = 100;
const PLENTY = { bavail: 10, blocks: 10, bsize: 1 << 30 };

describe('copies of files on the local disk', () => {
  let root: string;
  let work: WorkFolder;
  let cache: FileCache;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'file-cache-'));
    work = new WorkFolder(join(root, 'work'), () => Promise.resolve(PLENTY));
    cache = new FileCache(root, work, MAX_BYTES);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const add = (name: string, bytes = 40) =>
    work.aside(async (aside) => {
      const use = await cache.use(name);
      await cache.withRoomFor(bytes, () => Promise.resolve(writeFileSync(aside, name.padEnd(bytes))));
      await cache.add(aside, name);
      return use;
    });
  /** A copy nobody uses, last used so many seconds ago. */
  const keep = async (name: string, unusedFor: number) => {
    await (await add(name)).close();
    const then = Date.now() / 1_000 - unusedFor;
    for (const folder of ['files', 'last-uses']) utimesSync(join(root, folder, name), then, then);
  };
  const kept = () => readdirSync(join(root, 'files')).sort();
  const another = () =>
    new FileCache(root, new WorkFolder(join(root, 'work'), () => Promise.resolve(PLENTY)), MAX_BYTES);

  it('are there for later, and for another process with the same folder', async () => {
    await keep('a.parquet', 10);
    const copy = await another().use('a.parquet');
    expect(readFileSync(copy.path, 'utf8').trim()).toBe('a.parquet');
    await copy.close();
    const none = await cache.use('b.parquet');
    expect([await none.stampNow(), kept()]).toEqual([undefined, ['a.parquet']]);
    await none.close();
  });

  it('go when the limit is reached, the longest unused first', async () => {
    await keep('a', 20);
    await keep('b', 30);
    await keep('c', 10);
    expect(kept()).toEqual(['a', 'c']);
    await (await another().use('a')).close();
    await keep('d', 0);
    expect(kept()).toEqual(['a', 'd']);
    expect(readdirSync(join(root, 'last-uses')).sort()).toEqual(['a', 'd']);
  });

  it('stay while somebody uses them, in whatever process', async () => {
    await keep('a', 30);
    await keep('b', 20);
    const used = await another().use('a');
    await keep('c', 0);
    expect(kept()).toEqual(['a', 'c']);
    await used.close();
    await keep('d', 10);
    await keep('e', 0);
    expect(kept()).toEqual(['c', 'e']);
  });

  it('keep their stamp while processes use them, so a changed byte shows by the time of change alone', async () => {
    await keep('a', 30);
    const path = join(root, 'files', 'a');
    const before = await stampOf(path);
    const uses = await Promise.all([cache.use('a'), another().use('a'), cache.use('a')]);
    expect(await uses[0].stampNow()).toBe(before);
    for (const use of uses) await use.close();
    expect(await stampOf(path)).toBe(before);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, 'b'.padEnd(40));
    utimesSync(path, atime, mtime);
    expect(await stampOf(path)).not.toBe(before);
  });

  it('are refused when those in use leave no room, and nothing of them goes', async () => {
    const used = [await add('a'), await add('b')];
    await expect(add('c')).rejects.toMatchObject({ code: 'archive-cache-full', retryable: true });
    expect(kept()).toEqual(['a', 'b']);
    for (const one of used) await one.close();
    await add('c');
    expect(kept()).toHaveLength(2);
  });

  it('count while they are being fetched', async () => {
    let other: unknown;
    await cache.withRoomFor(60, async () => {
      other = await add('b', 50).catch((error: unknown) => error);
    });
    expect(other).toMatchObject({ code: 'archive-cache-full' });
    await add('b', 50);
  });

  it('stay those that are there where another process brings the same file', async () => {
    const used = await add('a');
    const before = await used.stampNow();
    await add('a');
    expect(await used.stampNow()).toBe(before);
  });

  it('can end their use after all folders were emptied', async () => {
    const used = await add('a');
    for (const folder of readdirSync(root)) rmSync(join(root, folder), { recursive: true });
    await used.close();
    expect(await used.stampNow()).toBeUndefined();
  });

  it('make room when the disk is full, and are refused when that is not enough', async () => {
    const full = new WorkFolder(join(root, 'work'), () => Promise.resolve({ ...PLENTY, bavail: 0 }));
    await keep('a', 10);
    const scarce = new FileCache(root, full, MAX_BYTES);
    await expect(scarce.withRoomFor(10, () => Promise.resolve())).rejects.toMatchObject({ code: 'archive-no-space' });
    expect(kept()).toEqual([]);
  });
});
