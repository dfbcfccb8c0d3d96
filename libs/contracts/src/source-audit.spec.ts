import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { decodeSourceAudit } from './source-audit.js';

const golden = readFileSync(new URL('../golden/source-audit.v1.json', import.meta.url));
const body = JSON.parse(golden.toString('utf8')) as Record<string, unknown>;

describe('an audit record', () => {
  it('of the golden sample decodes, to the same content', () => {
    expect(decodeSourceAudit(golden)).toEqual(body);
  });

  it.each([
    [null],
    [Buffer.from('{')],
    [Buffer.from('null')],
    [{ ...body, version: 2 }],
    [{ ...body, source: '' }],
    [{ ...body, minute: 1_763_719_800_001 }],
    [{ ...body, sequence: 0 }],
    [{ ...body, visits: -1 }],
    [{ ...body, checksum: '-1' }],
    [{ ...body, checksum: '4611686018427387904' }],
    [{ ...body, minute: 253_402_300_800_000 }],
  ])('%j is none', (value) => {
    const bytes = value === null || Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
    expect(decodeSourceAudit(bytes)).toBeUndefined();
  });
});
