import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { LINKS_ERRORS } from './links.errors.js';

describe('the error codes of this library', () => {
  it('are all documented, and none that is documented is unused', () => {
    const sources = fileURLToPath(new URL('.', import.meta.url));
    const thrown = new Set<string>();
    for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.includes('.spec')) continue;
      const text = readFileSync(`${sources}${file}`, 'utf8');
      for (const [, code] of text.matchAll(/new AppError\(\s*'([a-z-]+)'/g)) thrown.add(code as string);
    }
    expect([...thrown].sort()).toEqual(Object.keys(LINKS_ERRORS).sort());
  });
});
