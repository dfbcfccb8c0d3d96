import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { editFile } from './copy-tree.js';

describe('an edit of a mutation', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mutations-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('changes exactly one place, or says that the code is no longer what it was made for', () => {
    const path = join(folder, 'a.js');
    writeFileSync(path, 'one two two');
    editFile(path, 'one', '$& three');
    expect(readFileSync(path, 'utf8')).toBe('$& three two two');
    expect(() => editFile(path, 'two', 'x')).toThrow(/2 times/);
    expect(() => editFile(path, 'four', 'x')).toThrow(/0 times/);
  });
});
