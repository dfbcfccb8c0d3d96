import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from '../archive.spec-helpers.js';

describe('sealing a backlog, with rows of the next days on their way already', () => {
  let spec: ArchiveSpec;
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
  });
  afterEach(() => spec.close());

  const visitsAt = (atMs: number, count: number, linkId: string) =>
    Array.from({ length: count }, (_, n) => enrichedVisit({ linkId, atMs: atMs + n * 1_000 }));
  const day = hourAt('10T00');
  const inWork = () => readdirSync(join(spec.root, 'work')).filter((name) => !name.startsWith('spill'));
  let visits: EnrichedVisit[];
  beforeEach(async () => {
    visits = Array.from({ length: 24 }, (_, n) =>
      visitsAt(day + Math.floor(n / 8) * DAY_MS + (n % 8) * HOUR_MS, 3, String(1 + (n % 3))),
    ).flat();
    await spec.commit(visits);
  });

  /** Seals three days; `work` is done when the first day counts and the second was asked for. */
  async function sealThreeDays(work: () => Promise<unknown>) {
    const { manifest } = spec.archive;
    const [change, incarnation] = [manifest.change.bind(manifest), manifest.incarnation.bind(manifest)];
    let [changes, copies] = [0, 0];
    manifest.incarnation = async () => {
      const answer = await incarnation();
      copies += 1;
      return answer;
    };
    manifest.change = async (...given) => {
      await change(...given);
      if ((changes += 1) > 1) return;
      await waitUntil(() => copies > 2, { describe: 'all days are asked for' });
      await work();
    };
    const hours = await spec.archive.dueHours(day + 3 * DAY_MS, 'all');
    const report = await spec.archive.seal(hours).finally(() => Object.assign(manifest, { change, incarnation }));
    expect(inWork()).toEqual([]);
    return report;
  }
  const levels = async () => (await spec.active()).map(({ level, visits: count }) => [level, count]);

  it('seals each visit once, also what came or was sealed by others meanwhile', async () => {
    const late = visitsAt(day + DAY_MS + 5 * HOUR_MS + 1, 2, '9');
    const other = spec.openArchive();
    const report = await sealThreeDays(async () => {
      await other.seal([day + DAY_MS + 3 * HOUR_MS]);
      await spec.commit(late);
    });
    expect(report.failed).toEqual([]);
    await spec.seal(day + 3 * DAY_MS);
    expect(await spec.contents()).toEqual(eventIdsOf([...visits, ...late]));
    expect(await spec.archive.verify(day + 3 * DAY_MS)).toMatchObject({ differences: [], dueHours: [] });
    expect((await levels()).filter(([level]) => level === 'day')).toHaveLength(3);
  });

  it('lets none of them count for a database that was restored meanwhile', async () => {
    const report = await sealThreeDays(() =>
      spec.ledger.server.query('UPDATE ledger_incarnation SET incarnation = gen_random_uuid()'),
    );
    expect(report).toMatchObject({ visits: visits.length, failed: [] });
    // Both of the next days were on their way.
    expect(await levels()).toEqual([['day', 24], ...Array.from({ length: 16 }, () => ['hour', 3])]);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });

  it('stops when told to, and leaves nothing behind', async () => {
    const stop = new AbortController();
    const { manifest } = spec.archive;
    const change = manifest.change.bind(manifest);
    manifest.change = async (...given) => {
      await change(...given);
      stop.abort();
    };
    const hours = await spec.archive.dueHours(day + 3 * DAY_MS, 'all');
    await spec.archive.seal(hours, { signal: stop.signal }).catch(() => undefined);
    manifest.change = change;
    expect([await levels(), inWork()]).toEqual([[['day', 24]], []]);
    expect(await spec.seal(day + 3 * DAY_MS)).toMatchObject({ visits: 48, failed: [] });
  });
});
