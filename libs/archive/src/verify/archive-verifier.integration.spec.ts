import { appendFileSync } from 'node:fs';

import { DAY_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, hourAt } from '../archive.spec-helpers.js';

const DAY = hourAt('10T00');
const LATER = DAY + 4 * DAY_MS;

describe('a verification of files', () => {
  let spec: ArchiveSpec;
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.commit([0, 1, 2].map((day) => enrichedVisit({ atMs: DAY + day * DAY_MS })));
    await spec.seal(LATER);
  });
  afterEach(() => spec.close());

  it('that is told to stop reads no more files of the month it is at', async () => {
    for (const file of await spec.active()) appendFileSync(spec.pathOf(file), 'x');
    const stopping = new AbortController();
    const verifying = spec.archive.verify(LATER, {
      signal: stopping.signal,
      onStep: () => stopping.abort(new Error('stop')),
    });
    await expect(verifying).rejects.toThrow('stop');
    // A file that was read would be known to be damaged.
    expect(await spec.archive.manifest.damaged()).toEqual([]);
    expect((await spec.archive.verify(LATER)).differences.filter(({ check }) => check === 'sha-256')).toHaveLength(3);
  });
});
