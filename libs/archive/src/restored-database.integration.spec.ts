import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from './archive.spec-helpers.js';

const HOUR = hourAt('10T08');
const LATER = HOUR + DAY_MS;

describe('PostgreSQL restored to an earlier moment, beside the files of later ones', () => {
  let spec: ArchiveSpec;
  let restored: ArchiveSpec | undefined;
  const random = randomSource(11);
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    await spec.ledger.addLink('1');
  });
  afterEach(async () => {
    await restored?.close();
    await spec.close();
  });

  const visitsAt = (...hours: number[]) =>
    hours.flatMap((hour) => [0, 1, 2].map((n) => randomVisit(random, '1', HOUR + hour * HOUR_MS + n * 1_000)));
  const idsOf = (...visits: EnrichedVisit[][]) => eventIdsOf(visits.flat());

  /** The topic is read again from the checkpoint of the backup (or before), and closed hours are sealed. */
  async function readAgain(back: ArchiveSpec, ...batches: EnrichedVisit[][]): Promise<void> {
    for (const visits of batches) await back.commit(visits);
    const { failed } = await back.seal(LATER);
    expect(failed).toEqual([]);
  }
  async function expectEachOnce(back: ArchiveSpec, ids: string[]): Promise<void> {
    expect(await back.where()).toEqual({ ledger: ids.length, files: ids });
    expect(await back.archive.verify(LATER)).toMatchObject({ differences: [], dueHours: [] });
    expect(await back.ledger.differences()).toEqual([]);
  }

  it('trusts and removes none of these: the topic makes the ledger whole, and it is sealed again', async () => {
    const [before, after, late] = [visitsAt(0, 1), visitsAt(2, 3), visitsAt(0)];
    await readAgain(spec, before);
    const restore = await spec.backup();
    await readAgain(spec, after, late);
    await spec.purge('1', HOUR + 1);
    await spec.seal(LATER);
    const left = new Map(spec.onDisk().map((path) => [path, readFileSync(join(spec.root, path))]));

    restored = await restore();
    expect(await restored.contents()).toEqual(idsOf(before));
    await readAgain(restored, before, after, late);
    await expectEachOnce(restored, idsOf(before, after, late));
    // Two lives, two folders: what the first one left stays as it was.
    expect(new Set((await restored.active()).map(({ path }) => path.split('/')[0])).size).toBe(2);
    await restored.archive.removeFiles(Date.now() + 30 * DAY_MS);
    for (const [path, bytes] of left)
      expect([path, readFileSync(join(spec.root, path)).equals(bytes)]).toEqual([path, true]);
    await expectEachOnce(restored, idsOf(before, after, late));
  });

  it('seals anew what it knows of, but was merged and removed since', async () => {
    const [before, after] = [visitsAt(0, 1), visitsAt(2)];
    await readAgain(spec, before);
    const restore = await spec.backup();
    await readAgain(spec, after);
    await spec.archive.merge(LATER, Date.now());
    await spec.archive.removeFiles(Date.now() + 2 * HOUR_MS);
    expect(spec.onDisk()).toHaveLength(1);

    restored = await restore();
    await restored.archive.scrub(Date.now() + 2 * DAY_MS);
    await readAgain(restored, before, after);
    await expectEachOnce(restored, idsOf(before, after));
  });

  it('has a month that was dropped since in the ledger again, and drops it again', async () => {
    const visits = visitsAt(0, 30);
    await readAgain(spec, visits);
    await spec.seal(HOUR + 40 * HOUR_MS);
    const restore = await spec.backup();
    expect(await spec.drop()).toBeNull();

    restored = await restore();
    expect((await restored.where()).ledger).toBe(visits.length);
    expect((await restored.commit(visits)).inserted).toEqual([]);
    expect(await restored.drop()).toBeNull();
    expect(await restored.where()).toEqual({ ledger: 0, files: idsOf(visits) });
  });
});
