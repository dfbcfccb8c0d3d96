import { DAY_MS, type EnrichedVisit, HOUR_MS, VisitEraser } from '@hopcount/ledger';
import { randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import type { Database } from '@hopcount/postgres';
import { isAppError } from '@hopcount/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Archive } from './archive.js';
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

  it('write anew what an erasure was about to write: it looks at that, and nothing failed', async () => {
    const visit = { ...randomVisit(randomSource(12), '3', TO + HOUR_MS), visitor: '987654321' };
    await spec.commit([visit, randomVisit(randomSource(13), '3', TO + HOUR_MS + 1)]);
    await spec.seal(TO + DAY_MS);
    const { database } = spec.ledger;
    const eraser = new VisitEraser(database, { hasSlots: true });
    const people = {
      person: 'visitor' as const,
      hashes: ['987654321'],
      fromMs: Number.NEGATIVE_INFINITY,
      beforeMs: Infinity,
    };
    const erasure = await eraser.mark(people);
    expect(await eraser.erase(erasure)).toBe(1);
    let sealed = 0;
    const transaction: Database['transaction'] = async (work, options) => {
      if (sealed === 0) sealed += (await spec.seal(TO + DAY_MS)).removedVisits;
      return database.transaction(work, options);
    };
    const query: Database['query'] = (...asked) => database.query(...asked);
    const execute: Database['execute'] = (...asked) => database.execute(...asked);
    const late = new Archive({ query, execute, transaction } as Database, { root: spec.root, memoryMb: 256 });
    expect(await late.erasePeople(erasure, eraser.inFiles(erasure))).toMatchObject({ failed: [], visits: 0 });
    expect(sealed).toBe(1);
    expect(await spec.contents()).not.toContain(visit.eventId);
    expect(await spec.archive.verify(TO + DAY_MS)).toMatchObject({ differences: [], dueHours: [] });
  });
});
