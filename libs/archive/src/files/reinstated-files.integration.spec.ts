import { renameSync } from 'node:fs';

import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from '../archive.spec-helpers.js';

const HOUR = hourAt('10T08');
const LATER = HOUR + HOUR_MS;

describe('a file that was lost and is back (still being copied, a disk that was away)', () => {
  let spec: ArchiveSpec;
  let path: string;
  const visits = Array.from({ length: 20 }, (_, n) => enrichedVisit({ atMs: HOUR + n }));

  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.commit(visits);
    await spec.seal(LATER);
    path = spec.pathOf((await spec.active())[0]!);
    renameSync(path, `${path}.away`);
    await spec.archive.scrub(Date.now() + 2 * DAY_MS);
    expect(await spec.active()).toEqual([]);
  });
  afterEach(() => spec.close());

  const comesBack = async () => {
    renameSync(`${path}.away`, path);
    await spec.archive.scrub(Date.now());
    return (await spec.active()).map((file) => spec.pathOf(file)).includes(path);
  };

  it('counts again', async () => {
    expect(await comesBack()).toBe(true);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });

  it('stays aside where its visits were sealed anew', async () => {
    await spec.seal(LATER);
    expect(await comesBack()).toBe(false);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });

  it('stays aside where a late visit came meanwhile: what is due is sealed from the ledger', async () => {
    const late = enrichedVisit({ atMs: HOUR + 500 });
    await spec.commit([late]);
    expect(await comesBack()).toBe(false);
    await spec.seal(LATER);
    expect(await spec.contents()).toEqual(eventIdsOf([...visits, late]));
  });

  it('counts again together with another of the same hour, which alone would not be what was counted', async () => {
    expect(await comesBack()).toBe(true);
    const late = enrichedVisit({ atMs: HOUR + 500 });
    await spec.commit([late]);
    await spec.seal(LATER);
    const paths = (await spec.active()).map((file) => spec.pathOf(file));
    expect([paths.length, await spec.drop()]).toEqual([2, null]);
    for (const one of paths) renameSync(one, `${one}.away`);
    await spec.archive.scrub(Date.now() + 4 * DAY_MS);
    expect(await spec.active()).toEqual([]);
    renameSync(`${paths[0]}.away`, paths[0]!);
    await spec.archive.verify(LATER);
    expect(await spec.active()).toEqual([]);
    renameSync(`${paths[1]}.away`, paths[1]!);
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], dueHours: [], visits: 21 });
    expect(await spec.contents()).toEqual(eventIdsOf([...visits, late]));
  });
});
