import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type HostKind, VISIT_CLASSES } from '@hopcount/contracts';
import { hostName, parentOf } from '@hopcount/hosts';

import { bucketOf, HOUR_MS } from '../buckets.js';
import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger, noLock } from '../ledger.spec-helpers.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { VisitEraser } from '../erase/visit-eraser.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { measureHostDrift } from './host-drift.js';
import { HostFold } from './host-fold.js';
import { hostTotals } from './host-totals.spec-helpers.js';
import { QuietHosts } from './quiet-hosts.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 12 * HOUR_MS };

describe('counts by host', () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await Ledger.open();
    await ledger.addLink('1');
    await ledger.addLink('2');
  });
  afterEach(() => ledger.close());

  const totals = (kind: HostKind) => hostTotals(ledger, kind);
  const counted = (visits: readonly EnrichedVisit[], nameOf: (visit: EnrichedVisit) => string) => {
    const names = new Map<string, number>();
    for (const visit of visits) names.set(nameOf(visit), (names.get(nameOf(visit)) ?? 0) + 1);
    return Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  it.each([11, 12])(
    'are those of the visits that are kept, whatever is counted, purged, erased, replayed or folded when (seed %i)',
    async (seed) => {
      const random = randomSource(seed);
      const consumers = [await ledger.consumer(), await ledger.consumer()];
      const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true, visitsPerTransaction: 7 });
      const eraser = new VisitEraser(ledger.database, { hasSlots: true, visitsPerTransaction: 7 });
      const fold = new HostFold(ledger.database, { changesAtOnce: 3, foldsOfRun: 2 });
      // Whenever they had their last visit.
      const quiet = new QuietHosts(ledger.database, { days: -36_500, lookedAtOnce: 5, rowsAtOnce: 7 });
      let kept: EnrichedVisit[] = [];
      const batches: EnrichedVisit[][] = [];
      let purgedBefore = 0;
      const erased = new Set<string | null>();
      const isKept = (visit: EnrichedVisit) =>
        (visit.linkId !== '1' || visit.occurredAtMs >= purgedBefore) && !erased.has(visit.visitor);
      for (let step = 0; step < 40; step += 1) {
        const action = random.below(10);
        if (action < 5) {
          const batch = randomHistory(random, random.pick(['1', '2']), RANGE, 1 + random.below(40));
          batches.push(batch);
          kept.push(...batch);
          await random.pick(consumers)(batch);
        } else if (action === 5 && batches.length > 0) await random.pick(consumers)(random.pick(batches));
        else if (action === 6) {
          purgedBefore = Math.max(purgedBefore, FROM + random.below(8 * HOUR_MS));
          await purger.purge('1', { beforeMs: purgedBefore });
        } else if (action === 7 && erased.size < 3) {
          const visitor = String(random.below(40) - 20);
          erased.add(visitor);
          const people = { person: 'visitor', hashes: [visitor], fromMs: -Infinity, beforeMs: Infinity } as const;
          await eraser.erase(await eraser.mark(people));
        } else if (action === 8) await Promise.all([quiet.move(), fold.fold()]);
        else await fold.fold();
        kept = kept.filter(isKept);
        if (step % 10 === 9) expect(await ledger.differences()).toEqual([]);
      }
      while ((await fold.fold()).waiting > 0);
      expect(await ledger.differences()).toEqual([]);
      expect(await totals('target')).toEqual(counted(kept, (visit) => hostName(visit.targetHost)));
      expect(await totals('short')).toEqual(counted(kept, (visit) => hostName(visit.shortHost)));
      const referrer = ({ referrerHost }: EnrichedVisit) =>
        referrerHost === 'direct' ? '~direct' : hostName(referrerHost);
      expect(await totals('referrer')).toEqual(counted(kept, referrer));
      const series = await ledger.server.query<{ bucket: Date; class: number; visits: number }>(
        `SELECT bucket, class, sum(p - n)::int AS visits FROM host_buckets JOIN hosts ON hosts.id = host_id
       WHERE host_buckets.kind = 0 AND name = 'com.example.a' GROUP BY 1, 2 HAVING sum(p - n) <> 0`,
      );
      const below = kept.filter((visit) => visit.targetHost === 'a.example.com');
      const points = counted(below, (visit) => `${bucketOf(visit.occurredAtMs)} ${VISIT_CLASSES.indexOf(visit.class)}`);
      expect(
        Object.fromEntries(series.map((row) => [`${row.bucket.getTime()} ${row.class}`, row.visits]).sort()),
      ).toEqual(points);
    },
  );

  it('is measured: nothing differs in the last hour until a sum of hosts is damaged', async () => {
    const consume = await ledger.consumer();
    await consume([enrichedVisit(), enrichedVisit()]);
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 0, checksums: 0 });
    await new HostFold(ledger.database).fold();
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 0, checksums: 0 });
    await ledger.server.query('UPDATE host_traffic SET p = p + 3, checksum = checksum # 1 WHERE kind = 2');
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 3, checksums: 1 });
  });

  it('counts names beyond those a parent may have at its rest: sums stay exact, and what was known stays apart', async () => {
    const consume = await ledger.consumer();
    const fold = new HostFold(ledger.database, { children: 3, changesAtOnce: 1 });
    const visit = (targetHost: string) => enrichedVisit({ linkId: '1', targetHost });
    await consume(['a', 'b'].map((name) => visit(`${name}.example.com`)));
    await fold.fold();
    await consume(['a', 'c', 'd', 'x.e', 'y.x.e', 'www.a'].map((name) => visit(`${name}.example.com`)));
    expect(await ledger.differences()).toEqual([]);
    await fold.fold();
    await consume(['f', 'g.f', 'b', 'z.www.a'].map((name) => visit(`${name}.example.com`)));
    expect(await ledger.differences()).toEqual([]);
    await fold.fold();
    expect(await ledger.differences()).toEqual([]);
    expect(await totals('target')).toEqual({
      'com.example.a': 2,
      'com.example.a.www': 1,
      'com.example.a.www.z': 1,
      'com.example.b': 2,
      'com.example.c': 1,
      'com.example.~rest': 5,
    });
    const parents = await ledger.server.query(
      `SELECT child.name, parent.name AS parent, child.children FROM hosts AS child LEFT JOIN hosts AS parent ON parent.id = child.parent_id
       WHERE child.kind = 0 AND child.name LIKE 'com%' ORDER BY 1`,
    );
    expect(parents.slice(0, 4)).toEqual([
      { name: 'com', parent: null, children: 1 },
      { name: 'com.example', parent: 'com', children: 4 },
      { name: 'com.example.a', parent: 'com.example', children: 1 },
      { name: 'com.example.a.www', parent: 'com.example.a', children: 1 },
    ]);
  });

  it('keeps folded changes for a while, and then no longer', async () => {
    const consume = await ledger.consumer();
    await consume([enrichedVisit()]);
    expect(await new HostFold(ledger.database).fold()).toMatchObject({ folded: 1, expired: 0, waiting: 0 });
    expect(await new HostFold(ledger.database).fold()).toMatchObject({ folded: 0, expired: 0 });
    expect(await new HostFold(ledger.database, { keptMinutes: 0 }).fold()).toMatchObject({ expired: 1 });
    expect(await ledger.differences()).toEqual([]);
  });

  it('reads names as PostgreSQL does', async () => {
    const hosts = [
      'example.com',
      'a.b.example.co.uk',
      'localhost',
      '10.0.0.1',
      '[2001:db8::1]',
      '',
      '~rest',
      'x.~rest.com',
      'a..b',
      '.',
      'xn--mnchen-3ya.de',
      'my_site.test',
      'a.b.c.d.e.f.example.com',
      'x.y.z.a.b.c.d.e.f.example.com',
      'android-app://com.google.android.gm',
    ];
    const rows = await ledger.server.query(
      'SELECT host_name(host) AS name, host_parent(host_name(host)) AS parent FROM unnest($1::text[]) WITH ORDINALITY AS one (host, place) ORDER BY place',
      [hosts],
    );
    expect(rows).toEqual(hosts.map((host) => ({ name: hostName(host), parent: parentOf(hostName(host)) ?? null })));
    expect(rows.slice(0, 2)).toEqual([
      { name: 'com.example', parent: 'com' },
      { name: 'uk.co.example.b.a', parent: 'uk.co.example.b' },
    ]);
  });
});
