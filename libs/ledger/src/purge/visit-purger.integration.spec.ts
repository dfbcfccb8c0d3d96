import { Reach } from '@hopcount/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { foldAllHours, randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { areHostSumsExact } from '../filed-sums/filed-sums.js';
import { HostFold } from '../hosts/host-fold.js';
import { LedgerRebuild } from '../rebuild/ledger-rebuild.js';
import { visitTotals } from '../slots/visit-totals.js';
import { HOUR_MS } from '../buckets.js';
import { idsOf, Ledger, noLock } from '../ledger.spec-helpers.js';
import { VisitPurger, type VisitPurgerSettings } from './visit-purger.js';

const NOON = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: NOON, to: NOON + 6 * HOUR_MS };
const INSTANT = NOON + 3 * HOUR_MS + 7 * 60_000 + 123;
const random = randomSource(6);

describe('purging the visits of a link', () => {
  let ledger: Ledger;
  let lastLink = 1000;
  let link: string;

  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    link = String((lastLink += 1));
    await ledger.addLink(link);
  });

  const purger = (settings: Partial<VisitPurgerSettings> = {}) =>
    new VisitPurger(ledger.database, noLock, { hasSlots: true, horizonWaitMs: 30_000, ...settings });
  const history = (count = 400) => randomHistory(random, link, RANGE, count, [INSTANT]);
  const later = (visits: ReturnType<typeof history>) => visits.filter((visit) => visit.occurredAtMs >= INSTANT);

  it('deletes what occurred before the instant, to the millisecond, and nothing else', async () => {
    const commits = [await ledger.consumer(), await ledger.consumer(), await ledger.consumer()];
    const visits = history();
    const others = randomHistory(random, '999', RANGE, 100);
    for (const [index, visit] of [...visits, ...others].entries()) await commits[index % 3]!([visit]);
    const deleted = await purger({ visitsPerTransaction: 37 }).purge(link, { beforeMs: INSTANT });
    expect(deleted).toBe(visits.length - later(visits).length);
    expect(deleted).toBeGreaterThan(100);
    expect(await ledger.eventIds(link)).toEqual(idsOf(later(visits)));
    expect(await ledger.eventIds('999')).toHaveLength(100);
    expect(await ledger.differences()).toEqual([]);
    const totals = await visitTotals(ledger.database, [link]);
    expect(totals.get(link)?.total).toBe(later(visits).length);
    const negative = await ledger.server.query('SELECT FROM link_visit_slots WHERE visits < 0');
    expect(negative).toEqual([]);
  });

  it('takes visits out of the group they were committed with, wherever the link is now', async () => {
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('old', 'o'), ('new', 'n') ON CONFLICT DO NOTHING`);
    const moveTo = (group: string | null) =>
      ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [link, group]);
    const commit = await ledger.consumer();
    const counted: Record<string, number> = {};
    for (const group of ['old', null, 'new']) {
      await moveTo(group);
      const visits = history(60);
      await commit([...visits, ...randomHistory(random, '999', RANGE, 5)]);
      counted[group ?? ''] = later(visits).length;
    }
    await moveTo('old');
    await purger({ visitsPerTransaction: 37 }).purge(link, { beforeMs: INSTANT });
    expect(await ledger.differences()).toEqual([]);
    const groups = await ledger.server.query<{ id: string; visits: number }>(
      `SELECT scope_id AS id, sum(visits)::int AS visits FROM scope_traffic WHERE scope_id IN ('old', 'new') GROUP BY 1 ORDER BY 1`,
    );
    expect(groups).toEqual(['new', 'old'].map((id) => ({ id, visits: counted[id] })));
    const negative = `SELECT FROM scope_traffic GROUP BY scope, scope_id, bucket, class HAVING sum(visits) < 0`;
    expect(await ledger.server.query(negative)).toEqual([]);
  });

  it('brings nothing back when every batch is delivered again, and counts a late first arrival of its source once', async () => {
    const commit = await ledger.consumer();
    const visits = history();
    await commit(visits);
    await purger().purge(link, { beforeMs: INSTANT });
    const late = [enrichedVisit({ linkId: link, atMs: INSTANT - 1 }), enrichedVisit({ linkId: link, atMs: INSTANT })];
    const first = await commit([...visits, ...late]);
    expect(first).toMatchObject({
      inserted: [late[1]!.eventId],
      purged: visits.length - later(visits).length + 1,
      duplicates: later(visits).length,
    });
    const again = await (await ledger.consumer())([...late, ...visits]);
    expect(again.inserted).toEqual([]);
    expect(await ledger.eventIds(link)).toEqual(idsOf([...later(visits), late[1]!]));
    expect(await ledger.count('purged_visits', link)).toBe(visits.length - later(visits).length + 1);
    expect(await ledger.differences()).toEqual([]);
  });

  it('leaves no fold and no dimension of what is gone, and what is left can be folded again', async () => {
    const commit = await ledger.consumer();
    const visits = history();
    await commit(visits);
    await foldAllHours(ledger.database);
    expect(await ledger.count('link_folds', link)).toBeGreaterThan(5);
    await purger().purge(link, { beforeMs: INSTANT });
    const old = await ledger.server.query(
      'SELECT FROM link_folds JOIN link_dimensions USING (link_id, hour) WHERE link_id = $1 AND hour < $2',
      [link, new Date(INSTANT)],
    );
    expect(old).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
    await foldAllHours(ledger.database);
    await purger().purge(link);
    expect(await ledger.count('link_folds', link)).toBe(0);
    expect(await ledger.count('link_dimensions', link)).toBe(0);
    expect(await ledger.count('link_traffic', link)).toBe(0);
    expect(await ledger.differences()).toEqual([]);
  });

  it('removes a fold that a folder with an older snapshot puts back', async () => {
    await (
      await ledger.consumer()
    )(history());
    await purger().purge(link);
    await ledger.server.query(
      `INSERT INTO link_folds (link_id, hour, visits, checksum, visitors, ips, enrichment_version)
       VALUES ($1, '2026-09-10T13:00Z', 5, 1, '{1}', '{2}', 1)`,
      [link],
    );
    await purger().finishAll({ idleMs: 60_000 });
    expect(await ledger.count('link_folds', link)).toBe(0);
    // Looked at for some minutes, not for ever: the list of purged links has an end.
    expect(await ledger.count('finished_purges', link)).toBe(1);
    await purger().finishAll({ idleMs: 0 });
    expect(await ledger.count('finished_purges', link)).toBe(0);
  });

  it('L3: a statement that fails half-way takes its whole transaction with it; doing it again completes it exactly', async () => {
    const visits = history();
    await (
      await ledger.consumer()
    )(visits);
    await ledger.server.query(
      `ALTER TABLE link_changes ADD CONSTRAINT broken CHECK (cardinality(link_ids) > 2) NOT VALID`,
    );
    const failing = purger({ visitsPerTransaction: 50 }).purge(link, { beforeMs: INSTANT });
    await expect(failing).rejects.toThrow(/broken/);
    await ledger.server.query('ALTER TABLE link_changes DROP CONSTRAINT broken');
    const between = await ledger.eventIds(link);
    expect(between.length).toBeGreaterThan(later(visits).length);
    expect((await ledger.differences()).map((difference) => difference.check)).toEqual([]);
    await purger().finishAll({ idleMs: 0 });
    expect(await ledger.eventIds(link)).toEqual(idsOf(later(visits)));
    expect(await ledger.differences()).toEqual([]);
  });

  it('takes each visit once when several purge the same link at once', async () => {
    const visits = history(600);
    await (
      await ledger.consumer()
    )(visits);
    const deleted = await Promise.all(
      [0, 1, 2, 3].map(() => purger({ visitsPerTransaction: 20 }).purge(link, { beforeMs: INSTANT })),
    );
    expect(deleted.reduce((sum, n) => sum + n)).toBe(visits.length - later(visits).length);
    expect(await ledger.differences()).toEqual([]);
    expect(await ledger.count('unfinished_purges', link)).toBe(0);
  });

  it('never moves its mark back, and an older purge does not end a newer one', async () => {
    const visits = history();
    await (
      await ledger.consumer()
    )(visits);
    await purger().purge(link, { beforeMs: INSTANT });
    expect(await purger().purge(link, { beforeMs: NOON })).toBe(0);
    const [row] = await ledger.server.query<{ purged_before: Date }>('SELECT purged_before FROM links WHERE id = $1', [
      link,
    ]);
    expect(row?.purged_before.getTime()).toBe(INSTANT);
    await purger().purge(link, { beforeMs: Date.now() + 3_600_000 });
    const fresh = enrichedVisit({ linkId: link });
    expect((await (await ledger.consumer())([fresh])).inserted).toEqual([fresh.eventId]);
    await expect(purger().purge('4711')).rejects.toMatchObject({ code: 'short-url-not-found' });
  });

  it('marks nothing of a link that is not in reach', async () => {
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('reached', 'r') ON CONFLICT DO NOTHING`);
    const reach = Reach.ofGroups(['reached']);
    const visits = history(10);
    await (
      await ledger.consumer()
    )(visits);
    await expect(purger().purge(link, { reach })).rejects.toMatchObject({ code: 'short-url-not-found' });
    expect([await ledger.count('unfinished_purges', link), await ledger.count('visits', link)]).toEqual([
      0,
      visits.length,
    ]);
    await ledger.server.query(`UPDATE links SET group_id = 'reached' WHERE id = $1`, [link]);
    expect(await purger().purge(link, { reach })).toBe(visits.length);
  });

  it('holds for any set of slots, and without slots at all', async () => {
    const visits = history();
    await (
      await ledger.consumer()
    )(visits);
    await ledger.server.query(
      `WITH gone AS (DELETE FROM link_visit_slots WHERE link_id = $1 RETURNING *)
       INSERT INTO link_visit_slots SELECT link_id, potential_bot, 60 + n, CASE n WHEN 0 THEN visits - 6 ELSE 2 END
       FROM gone CROSS JOIN generate_series(0, 3) AS n`,
      [link],
    );
    await purger().purge(link, { beforeMs: INSTANT });
    expect(await ledger.differences()).toEqual([]);
    expect(await ledger.server.query('SELECT FROM link_visit_slots WHERE visits < 0')).toEqual([]);

    await ledger.server.query('DELETE FROM link_visit_slots WHERE link_id = $1', [link]);
    await purger({ hasSlots: false }).purge(link);
    expect(await ledger.count('link_visit_slots', link)).toBe(0);
    expect(await ledger.differences('off')).toEqual([]);
  });

  it('takes away buckets of months whose ledger was dropped', async () => {
    await (
      await ledger.consumer()
    )(history(50));
    await ledger.server.query(
      `INSERT INTO link_traffic VALUES ($1, '2024-05-01T10:15Z', 0, 0, 4, 1), ($1, '2024-05-01T10:15Z', 0, 3, 3, 2), ($1, '2024-05-01T10:15Z', 1, 0, 2, 5)`,
      [link],
    );
    await ledger.server.query(
      'UPDATE link_visit_slots SET visits = visits + 7 WHERE link_id = $1 AND NOT potential_bot',
      [link],
    );
    await ledger.server.query('UPDATE link_visit_slots SET visits = visits + 2 WHERE link_id = $1 AND potential_bot', [
      link,
    ]);
    await ledger.server.query(`INSERT INTO ledger_retention (kept_from) VALUES ('2024-06-01Z')`);
    expect(await new LedgerRebuild(ledger.database).rebuildScopes()).toBe(6);
    expect(await new LedgerRebuild(ledger.database).rebuildHosts()).toBe(6);
    const unknown = async () => {
      await new HostFold(ledger.database).fold();
      return ledger.server.query(
        `SELECT sum(p - n)::int AS visits FROM host_traffic JOIN hosts ON hosts.id = host_id
         WHERE name = '~unknown' AND bucket = '2024-05-01T10:15Z' GROUP BY hosts.kind`,
      );
    };
    expect(await unknown()).toEqual([{ visits: 9 }, { visits: 9 }, { visits: 9 }]);
    expect(await purger().purge(link)).toBe(59);
    expect(await ledger.count('link_traffic', link)).toBe(0);
    expect(await ledger.differences()).toEqual([]);
    // Files alone know the groups and hosts of the nine, so their sums still have them, and are said not to be exact.
    expect(await areHostSumsExact(ledger.database)).toBe(false);
    expect(await unknown()).toEqual([{ visits: 9 }, { visits: 9 }, { visits: 9 }]);
    await ledger.server.query('DELETE FROM ledger_retention');
  });
});
