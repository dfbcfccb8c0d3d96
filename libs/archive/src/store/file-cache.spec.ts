import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { WorkFolder } from '../files/work-folder.js';
import { FileCache } from './file-cache.js';

const MAX_BYTES = 100;
const PLENTY = { bavail: 10, blocks: 10, bsize: 1 << 30 };

describe('copies of files on the local disk', () => {
  let root: string;
  let work: WorkFolder;
  let cache: FileCache;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'file-cache-'));
    work = new WorkFolder(join(root, 'work'), () => Promise.resolve(PLENTY));
    cache = new FileCache(join(root, 'files'), work, MAX_BYTES);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const add = (name: string, bytes = 40) =>
    work.aside(async (aside) => {
      await cache.withRoomFor(bytes, () => Promise.resolve(writeFileSync(aside, name.padEnd(bytes))));
      return cache.add(aside, name);
    });
  /** A copy nobody uses, last used so many seconds ago. */
  const keep = async (name: string, unusedFor: number) => {
    await (await add(name)).close();
    // In whole seconds, as uses are noted: any other time is that of a write.
    const then = Math.floor(Date.now() / 1_000) - unusedFor;
    utimesSync(join(root, 'files', name), then, then);
  };
  const kept = () => readdirSync(join(root, 'files')).sort();

  it('are there for later, and for another process with the same folder', async () => {
    await keep('a.parquet', 10);
    const other = new FileCache(join(root, 'files'), work, MAX_BYTES);
    const copy = await other.take('a.parquet');
    expect(copy?.path).toMatch(/-a\.parquet$/);
    expect(readFileSync(copy?.path ?? '', 'utf8').trim()).toBe('a.parquet');
    await copy?.close();
    expect([existsSync(copy?.path ?? ''), await cache.take('b.parquet')]).toEqual([false, undefined]);
  });

  it('go when the limit is reached, the longest unused first', async () => {
    await keep('a', 20);
    await keep('b', 30);
    await keep('c', 10);
    expect(kept()).toEqual(['a', 'c']);
    await (await cache.take('a'))?.close();
    await keep('d', 0);
    expect(kept()).toEqual(['a', 'd']);
  });

  it('stay while somebody uses them, in whatever process', async () => {
    await keep('a', 30);
    await keep('b', 20);
    const used = await new FileCache(join(root, 'files'), work, MAX_BYTES).take('a');
    const longAgo = Date.now() / 1_000 - 40;
    utimesSync(used?.path ?? '', longAgo, longAgo);
    await keep('c', 0);
    expect(kept()).toEqual(['a', 'c']);
    await used?.close();
    await keep('d', 0);
    expect(kept()).toEqual(['c', 'd']);
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

  it('can be read by who uses them whatever becomes of their names', async () => {
    const used = await add('a');
    await cache.drop('a');
    expect([kept(), readFileSync(used.path, 'utf8').trim()]).toEqual([[], 'a']);
  });

  it('make room when the disk is full, and are refused when that is not enough', async () => {
    const full = new WorkFolder(join(root, 'work'), () => Promise.resolve({ ...PLENTY, bavail: 0 }));
    await keep('a', 10);
    const scarce = new FileCache(join(root, 'files'), full, MAX_BYTES);
    await expect(scarce.withRoomFor(10, () => Promise.resolve())).rejects.toMatchObject({ code: 'archive-no-space' });
    expect(kept()).toEqual([]);
  });
});
