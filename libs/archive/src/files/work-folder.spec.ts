import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { WorkFolder } from './work-folder.js';

const GB = 1024 ** 3;

describe('space in the work folder', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'work-folder-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const withFree = (free: number, size: number) =>
    new WorkFolder(folder, () => Promise.resolve({ bavail: free / 4_096, blocks: size / 4_096, bsize: 4_096 }));

  it('is enough while 5 GB or a tenth of the disk are free', async () => {
    await withFree(5 * GB, 1_000 * GB).expectSpace();
    await withFree(2 * GB, 20 * GB).expectSpace();
  });

  it('is too little below both', async () => {
    const scarce = { code: 'archive-no-space', retryable: true, details: { folder, freeBytes: 4 * GB } };
    await expect(withFree(4 * GB, 1_000 * GB).expectSpace()).rejects.toMatchObject(scarce);
    await expect(withFree(GB, 20 * GB).expectSpace()).rejects.toMatchObject({ code: 'archive-no-space' });
  });
});
