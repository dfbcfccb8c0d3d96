import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { faultsNamed } from '../faults/index.js';
import { MUTATIONS } from './list.js';

describe('each mutation', () => {
  it.each(MUTATIONS)('$name finds its places, and a fault that exists', ({ edits, fault }) => {
    expect(faultsNamed([fault])).toHaveLength(1);
    for (const { file, find } of edits) expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  });
});
