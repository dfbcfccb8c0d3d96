import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { classifyPostgresError, Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';

import { noLock } from '../ledger.spec-helpers.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { foldAllHours, openLedger, randomHistory, randomSource, randomVisit } from '../ledger-history.spec-helpers.js';
import { LinkTotals } from '../slots/link-totals.js';
import { HostFold } from '../hosts/host-fold.js';
import { DAY_MS } from '../buckets.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { LOCK_REBUILD } from './rebuild-transaction.js';
import { addRebuildCounts, LedgerRebuild, type RebuildCounts } from './ledger-rebuild.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 2 * DAY_MS };
const NOTHING: RebuildCounts = {
  links: 0,
  buckets: 0,
  slots: 0,
  totals: 0,
  folds: 0,
  scopes: 0,
  sourceMinutes: 0,
  hosts: 0,
  tags: 0,
  days: 0,
};
const UNCHANGED = {
  buckets: 0,
  slots: 0,
  totals: 0,
  folds: 0,
  scopes: 0,
  sourceMinutes: 0,
  hosts: 0,
  days: 0,
  tags: 0,
};

/** One for each table, and each column that is summed or kept. */
/** Of the test that damages all of it while visits are counted. */
const DAMAGES_AT_ONCE = 5;
const DAMAGES: [what: string, statement: string, repaired: (keyof RebuildCounts)[]][] = [
  ['buckets too high', 'UPDATE link_traffic SET visits = visits + 3 WHERE link_id = 1', ['buckets']],
  ['checksums', 'UPDATE link_traffic SET checksum = checksum # 77 WHERE link_id = 2', ['buckets']],
  ['lost buckets', 'DELETE FROM link_traffic WHERE link_id = 1 AND class = 0', ['buckets']],
  ['an invented bucket', `INSERT INTO link_traffic VALUES (1, '2026-08-01', 0, 3, 1, 7)`, ['buckets']],
  ['an invented link', `INSERT INTO link_traffic VALUES (4711, '2026-08-01', 0, 0, 1, 7)`, ['buckets']],
  ['slots too high', 'UPDATE link_visit_slots SET visits = visits + 5 WHERE link_id = 1', ['slots']],
  [
    'slots of a link without visits',
    'INSERT INTO link_visit_slots VALUES (4712, true, 3, 9) ON CONFLICT (link_id, potential_bot, slot_id) DO UPDATE SET visits = 9',
    ['slots'],
  ],
  ['lost slots', 'DELETE FROM link_visit_slots WHERE link_id = 2', ['slots']],
  ['wrong totals', 'UPDATE link_totals SET non_bot_visits = non_bot_visits - 1', ['totals']],
  [
    'totals of a link without visits',
    'INSERT INTO link_totals VALUES (4713, 8, 8) ON CONFLICT (link_id) DO UPDATE SET visits = 8',
    ['totals'],
  ],
  ['lost totals', 'DELETE FROM link_totals', ['totals']],
  ['visitors of a fold', 'UPDATE link_folds SET visitors[1] = visitors[1] - 1 WHERE link_id = 1', ['folds']],
  ['a stale fold', 'UPDATE link_folds SET visits = visits + 1 WHERE link_id = 1', ['folds']],
  ['a dimension', `UPDATE link_dimensions SET human = human + 1 WHERE dimension = 'country'`, ['folds']],
  ['scopes too high', `UPDATE scope_traffic SET visits = visits + 2 WHERE scope = 'domain'`, ['scopes']],
  ['the checksum of a scope', `UPDATE scope_traffic SET checksum = checksum # 5 WHERE scope = 'all'`, ['scopes']],
  ['a lost group', `DELETE FROM scope_traffic WHERE scope = 'group' AND scope_id = 'g'`, ['scopes']],
  ['lost scopes', 'DELETE FROM scope_traffic', ['scopes']],
  [
    'an invented scope',
    `INSERT INTO scope_traffic VALUES ('group', 'g', '2026-09-02 10:00Z', 0, 0, 4, 9) ON CONFLICT DO NOTHING`,
    ['scopes'],
  ],
  [
    'the sums of a tag',
    'INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits) VALUES (1, 3, 2, 1)',
    ['tags'],
  ],
  ['the checksum of hosts', 'UPDATE host_traffic SET checksum = checksum # 5', ['hosts']],
  ['lost hosts', 'DELETE FROM host_traffic', ['hosts']],
  ['totals of hosts', 'UPDATE host_totals SET p = p + 1 WHERE kind = 0', ['hosts']],
  ['sums of hosts', 'UPDATE host_sums SET visits = visits + 1 WHERE kind = 0', ['hosts']],
  ['lost sums of hosts', 'DELETE FROM host_sums', ['hosts']],
  [
    'a change of hosts that counts twice',
    'UPDATE host_changes SET folded_at = NULL WHERE id = (SELECT min(id) FROM host_changes)',
    ['hosts'],
  ],
  ['sources', 'UPDATE source_traffic SET visits = visits + 1', ['sourceMinutes']],
  ['lost sources', 'DELETE FROM source_traffic', ['sourceMinutes']],
  ['an invented source', `INSERT INTO source_traffic VALUES ('gone', '2026-09-02 10:00Z', 0, 4, 9)`, ['sourceMinutes']],
];

describe('rebuild from the ledger', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const random = randomSource(5);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'rebuild-spec', poolSize: 6 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  // One ledger for all: each repair leaves it right, or the next test fails.
  beforeAll(async () => {
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true), ('t.test', false)`);
    await server.query(`INSERT INTO groups (id, name) VALUES ('g', 'Group')`);
    // The visits of link 2 have a group and those of link 4711 no link.
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url, group_id)
       SELECT n, 1 + n % 2, n, 'https://example.com/', CASE n WHEN 2 THEN 'g' END FROM generate_series(1, 3) AS n`,
    );
    commit = await openLedger(database);
    await commit(randomHistory(random, '1', RANGE, 80));
    await commit(randomHistory(random, '2', RANGE, 40));
    await settle();
  });

  const settle = async () => {
    await new LinkTotals(database).refresh();
    await foldAllHours(database);
    await new HostFold(database, { changesAtOnce: 1, foldsOfRun: 1 }).fold();
  };
  const differences = async () => (await new StatisticsVerifier(database).verify()).differences;
  const rebuildAll = async () => {
    const rebuild = new LedgerRebuild(database);
    let counts = NOTHING;
    let after = '0';
    for (let links = await rebuild.nextLinks(after, null, 2); links.length > 0;) {
      counts = addRebuildCounts(counts, await rebuild.rebuildLinks(links));
      after = links.at(-1) ?? after;
      links = await rebuild.nextLinks(after, null, 2);
    }
    const scopes = await rebuild.rebuildScopes();
    const hosts = await rebuild.rebuildHosts();
    const days = await rebuild.dropWrongDays();
    const tags = await rebuild.rebuildTags();
    return addRebuildCounts(counts, { scopes, hosts, sourceMinutes: await rebuild.rebuildSources(), days, tags });
  };

  it('finds nothing to do where nothing is wrong', async () => {
    expect(await rebuildAll()).toEqual({ ...NOTHING, links: 3 });
  });

  it.each(DAMAGES)('repairs %s, and nothing the second time', async (_, damage, repaired) => {
    await server.query(damage);
    const stale = damage.startsWith('UPDATE link_folds SET visits');
    expect((await differences()).length > 0 || stale).toBe(true);
    const counts = await rebuildAll();
    for (const what of repaired) expect([what, counts[what]]).toEqual([what, expect.any(Number)]);
    for (const what of repaired) expect(counts[what]).toBeGreaterThan(0);
    expect(await differences()).toEqual([]);
    await settle();
    expect(await rebuildAll()).toMatchObject(UNCHANGED);
  });

  it('repairs all of it while visits are counted, and none is lost or doubled', async () => {
    let counting = true;
    let commits = 0;
    const traffic = async () => {
      for (; counting; commits += 1) {
        const visits = randomHistory(random, String(1 + random.below(3)), RANGE, 4);
        await untilNoDeadlock(() => commit(visits));
      }
    };
    const counted = traffic();
    // Each by itself is repaired above; here a few at once, so that rebuilds have more to write beside commits.
    for (let at = 0; at < DAMAGES.length; at += DAMAGES_AT_ONCE) {
      for (const [, damage] of DAMAGES.slice(at, at + DAMAGES_AT_ONCE))
        await untilNoDeadlock(() => server.query(damage));
      await rebuildAll();
    }
    const commitsMeanwhile = commits;
    counting = false;
    await counted;
    expect(commitsMeanwhile).toBeGreaterThan(DAMAGES.length / DAMAGES_AT_ONCE);
    await settle();
    expect(await differences()).toEqual([]);
  });

  /** The damage takes rows in no order, so it and a commit may wait for each other; as the consumer does, again. */
  const untilNoDeadlock = async (work: () => Promise<unknown>): Promise<unknown> =>
    work().catch((error: unknown) => {
      if (classifyPostgresError(error) === 'conflict') return untilNoDeadlock(work);
      throw error;
    });

  it('rebuilds one link and leaves the others', async () => {
    await server.query('UPDATE link_traffic SET visits = visits + 1');
    await new LedgerRebuild(database).rebuildLinks(['2']);
    const left = new Set((await differences()).map(({ linkId }) => linkId));
    expect([left.has('1'), left.has('2')]).toEqual([true, false]);
    await rebuildAll();
  });

  it('takes nothing from the sources of visits that were purged, and still repairs them', async () => {
    // The first and the last of all, so that the days to go through come from purged visits, too.
    const doomed = [RANGE.from, RANGE.from + DAY_MS, RANGE.to + 3 * DAY_MS];
    await commit(doomed.map((atMs) => randomVisit(random, '3', atMs)));
    const purged = await new VisitPurger(database, noLock, { hasSlots: true }).purge('3');
    expect(purged).toBeGreaterThanOrEqual(doomed.length);
    const sources = () =>
      server.query(
        `SELECT source, minute, sum(visits), bit_xor(checksum) FROM source_traffic
         GROUP BY 1, 2 HAVING (sum(visits), bit_xor(checksum)) <> (0, 0) ORDER BY 1, 2`,
      );
    const before = await sources();
    await settle();
    expect(await differences()).toEqual([]);
    expect(await rebuildAll()).toMatchObject(UNCHANGED);
    expect(await sources()).toEqual(before);

    for (const damage of [
      'UPDATE source_traffic SET visits = visits + 1, checksum = 5',
      'DELETE FROM source_traffic',
    ]) {
      await server.query(damage);
      expect((await differences()).length).toBeGreaterThan(0);
      expect((await rebuildAll()).sourceMinutes).toBe(before.length);
      expect(await differences()).toEqual([]);
      expect(await sources()).toEqual(before);
    }
  });

  it('keeps what is left of months the ledger dropped', async () => {
    const kept = FROM + DAY_MS;
    await settle();
    await server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', [new Date(kept)]);
    await server.query('DELETE FROM visits WHERE occurred_at < $1', [new Date(kept)]);
    const keptOfAll = () =>
      server.query(
        `SELECT (SELECT sum(visits) FROM link_traffic), (SELECT count(*) FROM link_folds),
           (SELECT sum(visits) FROM scope_traffic WHERE scope_id = 'g')`,
      );
    const before = await keptOfAll();
    expect(await rebuildAll()).toMatchObject(UNCHANGED);
    expect(await keptOfAll()).toEqual(before);
    await server.query(
      `UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'group' AND scope_id = '' AND bucket < $1`,
      [new Date(kept)],
    );
    expect((await rebuildAll()).scopes).toBeGreaterThan(0);
    expect([await keptOfAll(), await differences()]).toEqual([before, []]);
    await server.query('UPDATE link_traffic SET visits = visits + 1 WHERE bucket >= $1', [new Date(kept)]);
    expect((await rebuildAll()).buckets).toBeGreaterThan(0);
    expect(await differences()).toEqual([]);
  });

  it('keeps the sources of a month that is dropped after it has looked where to begin', async () => {
    const total = () => server.query('SELECT count(*) AS minutes, sum(visits) AS visits FROM source_traffic');
    const before = await total();
    const kept = new Date(FROM + 1.5 * DAY_MS);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    // Another repairer, and the rebuild in wait behind it with its bounds read.
    const other = database.transaction(async (tx) => {
      await tx.query(LOCK_REBUILD);
      hold();
      await released;
    });
    await held;
    const rebuilt = new LedgerRebuild(database).rebuildSources();
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitUntil(async () => (await server.query(waiting)).length > 0, { describe: 'the rebuild waits' });
    await server.query('UPDATE ledger_retention SET kept_from = $1', [kept]);
    expect(await server.query('DELETE FROM visits WHERE occurred_at < $1 RETURNING link_id', [kept])).not.toEqual([]);
    release();
    await other;
    expect(await rebuilt).toBe(0);
    expect(await total()).toEqual(before);
  });
});
