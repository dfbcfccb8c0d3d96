import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { GATEWAY_ERRORS } from './gateway.errors.js';

describe('error codes', () => {
  it('are those of the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const documented = [...readme.slice(readme.indexOf('## Error codes')).matchAll(/^\| `([a-z-]+)` \|/gm)].map(
      ([, code]) => code,
    );
    expect(documented.sort()).toEqual(Object.keys(GATEWAY_ERRORS).sort());
  });
});
