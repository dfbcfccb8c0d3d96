import { DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { isAppError } from '@hopcount/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Archive } from './archive.js';
import { ArchiveSpec, eventIdsOf, hourAt } from './archive.spec-helpers.js';

const FROM = hourAt('10T00');
const HOURS = 6;
const TO = FROM + DAY_MS;
const ROUNDS = 6;
const LINKS = ['1', '2', '3'];

describe('two workers that seal and merge while visits come and links are purged', () => {
  let spec: ArchiveSpec;
  beforeAll(async () => {
    spec = await ArchiveSpec.open();
    for (const link of LINKS) await spec.ledger.addLink(link);
  });
  afterAll(() => spec.close());

  it('hold each visit once, and in the end exactly those of the ledger', async () => {
    const random = randomSource(11);
    const committed: EnrichedVisit[] = [];
    const consumers = [await spec.ledger.consumer(), await spec.ledger.consumer()];
    const workers = [spec.openArchive(), spec.openArchive()];
    const purgedBefore = new Map<string, number>();
    let nowMs = Date.now();

    const commitSome = async (consumer: (typeof consumers)[number]) => {
      for (let batch = 0; batch < 5; batch += 1) {
        const visits = Array.from({ length: 10 }, () =>
          randomVisit(random, random.pick(LINKS), FROM + random.below(HOURS * HOUR_MS)),
        );
        committed.push(...visits);
        await consumer(visits);
      }
    };
    const work = async (archive: Archive) => {
      const reports = [
        await archive.seal(await archive.dueHours(TO, 'all')),
        await archive.merge(TO, (nowMs += 2 * DAY_MS)),
      ];
      for (const { failed } of reports) {
        for (const { error } of failed) if (!isAppError(error, 'archive-moved-on')) throw error;
      }
    };
    const purge = async () => {
      const link = random.pick(LINKS);
      const before = FROM + random.below(2 * HOUR_MS);
      purgedBefore.set(link, Math.max(before, purgedBefore.get(link) ?? 0));
      await spec.purge(link, before);
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all([...consumers.map(commitSome), ...workers.map(work), ...(round % 2 === 1 ? [purge()] : [])]);
      const held = await spec.contents();
      expect(new Set(held).size).toBe(held.length);
    }
    // What a purge met between a worker's look at the ledger and its own is due once more.
    for (let left = 3; left > 0 && (await spec.archive.dueHours(TO, 'all')).length > 0; left -= 1) await spec.seal(TO);
    const survivors = committed.filter(({ linkId, occurredAtMs }) => occurredAtMs >= (purgedBefore.get(linkId) ?? 0));
    expect(await spec.contents()).toEqual(eventIdsOf(survivors));
    expect(await spec.archive.verify(TO)).toMatchObject({ differences: [], dueHours: [], purgedVisits: 0 });
    expect(await spec.ledger.differences()).toEqual([]);
  });
});
