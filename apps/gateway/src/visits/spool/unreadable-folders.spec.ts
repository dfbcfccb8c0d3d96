import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { RejectedFolder } from './rejected-folder.js';
import { SpoolFolder } from './spool-folder.js';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'unreadable-'));
});

afterEach(() => rm(root, { recursive: true }));

describe('rejected visits', () => {
  const rejected = () => new RejectedFolder({ root, owner: 'me', maxBytes: 100 });

  it('are 0 bytes while there is no folder', async () => {
    expect(await rejected().sizeBytes()).toBe(0);
  });

  it('are not reported as 0 bytes when their folder cannot be read', async () => {
    await writeFile(join(root, 'rejected'), '');
    await expect(rejected().sizeBytes()).rejects.toThrow('ENOTDIR');
  });
});

describe('visits of a dead process', () => {
  it('that cannot be taken over are reported, and stay where they are', async () => {
    await mkdir(join(root, 'dead'));
    await writeFile(join(root, 'dead', 'a.spool'), 'visits');
    const folder = await SpoolFolder.open(root, 'me');
    await mkdir(join(folder.path, 'me-0000000001.spool'));
    const failures: string[] = [];
    const owners = await folder.adoptAbandoned((path, error) => failures.push(`${path} ${String(error)}`));
    expect(owners).toEqual([]);
    expect(failures).toEqual([expect.stringMatching(/dead\/a\.spool .*EISDIR/)]);
    expect(await readdir(join(root, 'dead'))).toEqual(['a.spool']);
  });
});
