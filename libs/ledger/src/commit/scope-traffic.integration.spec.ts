import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { DAY_MS } from '../buckets.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { Ledger, noLock } from '../ledger.spec-helpers.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { SlotMerger } from '../slots/slot-merger.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 2 * DAY_MS };
const SUMS = `SELECT scope, scope_id, bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum FROM scope_traffic
  GROUP BY 1, 2, 3, 4 HAVING (sum(visits), bit_xor(checksum)) <> (0, 0) ORDER BY 1, 2, 3, 4`;

describe('buckets of all links, domains and groups', () => {
  let ledger: Ledger;
  const random = randomSource(8);

  beforeAll(async () => {
    ledger = await Ledger.open();
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1'), ('g-2', '2')`);
    for (const link of ['1', '2', '3']) await ledger.addLink(link);
    const commits = [await ledger.consumer(), await ledger.consumer(), await ledger.consumer()];
    for (const group of ['g-1', null, 'g-2']) {
      await ledger.server.query('UPDATE links SET group_id = $1 WHERE id < 3', [group]);
      for (const [index, commit] of commits.entries()) {
        await commit(randomHistory(random, String(index + 1), RANGE, 60));
        await commit(randomHistory(random, '4711', RANGE, 5));
      }
    }
    await new VisitPurger(ledger.database, noLock, { hasSlots: true }).purge('2', { beforeMs: FROM + DAY_MS });
  });
  afterAll(() => ledger.close());

  /** As if the table were added now, to a ledger that counts since long. */
  async function addTableAgain() {
    await ledger.server.query('DROP TABLE scope_traffic, day_aggregates, day_aggregate_dimensions');
    await ledger.server.query(`DELETE FROM schema_migrations WHERE name LIKE 'Aggregates%'`);
    expect(await ledger.database.migrate()).toEqual([expect.stringMatching(/^Aggregates/)]);
  }

  it('have five rows a scope and quarter of an hour at most, once merged', async () => {
    const before = await ledger.server.query(SUMS);
    expect((await new SlotMerger(ledger.database, { slots: 100 }).merge(Date.now())).scopes).toBeGreaterThan(100);
    expect(await ledger.server.query(SUMS)).toEqual(before);
    const most = `SELECT max(rows)::int AS most FROM (SELECT count(*) AS rows FROM scope_traffic GROUP BY scope, scope_id, bucket) AS one`;
    const [row] = await ledger.server.query<{ most: number }>(most);
    expect(row?.most).toBeLessThanOrEqual(5);
    expect(await ledger.differences()).toEqual([]);
  });

  it('are there after an upgrade for all that was counted before it', async () => {
    const before = await ledger.server.query(SUMS);
    expect(before.length).toBeGreaterThan(300);
    await addTableAgain();
    expect(await ledger.server.query(SUMS)).toEqual(before);
    expect(await ledger.differences()).toEqual([]);
  });

  it('hold visits of dropped months for all links and the domain, and for a group that nobody knows', async () => {
    const kept = new Date(FROM + 1.5 * DAY_MS);
    await ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [kept]);
    await ledger.server.query('DELETE FROM visits WHERE occurred_at < $1', [kept]);
    expect(await ledger.differences()).toEqual([]);
    await addTableAgain();
    expect(await ledger.differences()).toEqual([]);
    const groups = `SELECT FROM scope_traffic WHERE scope = 'group' AND scope_id <> '' AND bucket < $1`;
    expect(await ledger.server.query(groups, [kept])).toEqual([]);
    await ledger.server.query(`UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'group' AND bucket < $1`, [
      kept,
    ]);
    expect((await ledger.differences()).map(({ check }) => check)).toContain('scopes');
  });
});
