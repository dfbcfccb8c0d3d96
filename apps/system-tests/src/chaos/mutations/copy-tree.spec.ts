import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { faultsNamed } from '../faults/index.js';
import { editFile } from './copy-tree.js';
import { MUTATIONS } from './list.js';

describe('mutations', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mutations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('change exactly one place, or say that the code is no longer what they were made for', () => {
    const path = join(folder, 'a.js');
    writeFileSync(path, 'one two two');
    editFile(path, 'one', '$& three');
    expect(readFileSync(path, 'utf8')).toBe('$& three two two');
    expect(() => editFile(path, 'two', 'x')).toThrow(/2 times/);
    expect(() => editFile(path, 'four', 'x')).toThrow(/0 times/);
  });

  it.each(MUTATIONS)('$name fits the code as it is built, and a fault that exists', ({ edits, fault }) => {
    expect(faultsNamed([fault])).toHaveLength(1);
    for (const { file, find } of edits) expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  });
});
