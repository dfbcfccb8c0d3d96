import { sourceAuditV1Schema, sourceVersion } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';

import { sourceName } from './source-name.js';

const LONG = { host: `${'hopcount-gateway.'.repeat(4)}local`, pid: 4_194_303, version: '10.11.12-rc.1+1a2b3c4d5e' };

describe('sourceName', () => {
  it('says the version, in a name that events and audits take, whatever host and pid are', () => {
    const names = [LONG, { host: 'A_b', pid: 7, version: '0.1.0' }].map(sourceName);
    for (const name of names) expect(sourceAuditV1Schema.shape.source.parse(name)).toBe(name);
    expect(names.map(sourceVersion)).toEqual([LONG.version, '0.1.0']);
    expect(names[1]).toMatch(/^gw-a-b-7-[0-9a-f]{8}@0\.1\.0$/);
  });

  it('gives each life of a process another name', () => {
    expect(new Set(Array.from({ length: 100 }, () => sourceName(LONG))).size).toBe(100);
  });
});
