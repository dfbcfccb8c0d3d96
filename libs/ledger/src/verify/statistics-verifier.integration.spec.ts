import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import {
  eventIdAt,
  foldAllHours,
  openLedger,
  randomHistory,
  randomSource,
  randomVisit,
} from '../ledger-history.spec-helpers.js';
import { LinkTotals } from '../slots/link-totals.js';
import { HostFold } from '../hosts/host-fold.js';
import { BUCKET_MS, DAY_MS } from '../buckets.js';
import { readDoubted, trustSums } from './doubted-sums.js';
import { StatisticsVerifier } from './statistics-verifier.js';
import { SumsSweep } from './sums-sweep.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const TO = FROM + 3 * DAY_MS;

describe('verify', () => {
  let server: TestDatabase;
  let database: Database;
  let commit: Awaited<ReturnType<typeof openLedger>>;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'verify-spec', poolSize: 3 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, host_sums, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      link_folds, link_dimensions, consumer_checkpoints, ledger_retention, doubted_sums, tag_totals, tag_changes, host_changes, host_traffic, host_totals, host_sums`);
    commit = await openLedger(database);
    const random = randomSource(3);
    await commit(randomHistory(random, '1', { from: FROM, to: TO }, 200));
    await commit(randomHistory(random, '2', { from: FROM, to: TO }, 60));
    await new LinkTotals(database).refresh();
    await foldAllHours(database);
    await new HostFold(database, { changesAtOnce: 1, foldsOfRun: 1 }).fold();
  });

  const verify = (linkId?: string) => new StatisticsVerifier(database).verify({ linkId });
  const found = async (linkId?: string) => (await verify(linkId)).differences.map(({ check }) => check);

  it('finds nothing where nothing is wrong, and says how much it looked at', async () => {
    const report = await verify();
    expect(report.differences).toEqual([]);
    expect(report.skipped).toEqual([]);
    expect([report.isDoubted, await readDoubted(database)]).toEqual([false, undefined]);
    expect(report.checked).toMatchObject({ visits: 260, totals: 2, slots: 4, staleFolds: 0 });
    expect(report.checked.folds).toBeGreaterThan(8);
    expect(report.checked.buckets).toBeGreaterThan(100);
    expect(report.checked.scopeBuckets).toBeGreaterThan(100);
    expect(report.checked.hostBuckets).toBeGreaterThan(100);
    expect(report.checked.sourceMinutes).toBeGreaterThan(100);
    const one = await verify('2');
    expect(one.checked).toMatchObject({ visits: 60, totals: 1, slots: 2, sourceMinutes: 0 });
  });

  const firstBucket = `(link_id, bucket, class) = (SELECT link_id, bucket, class FROM link_traffic WHERE link_id = 1
    ORDER BY bucket, class LIMIT 1)`;
  const ofHost = `(kind, host_id, bucket, class) = (SELECT kind, host_id, bucket, class FROM host_traffic LIMIT 1)`;
  const firstHour = `link_id = 1 AND hour = (SELECT min(hour) FROM link_folds WHERE link_id = 1)`;

  it.each([
    ['a bucket off by one', `UPDATE link_traffic SET visits = visits + 1 WHERE ${firstBucket}`, ['buckets']],
    ['a lost bucket', `DELETE FROM link_traffic WHERE ${firstBucket}`, ['buckets']],
    ['an invented bucket', `INSERT INTO link_traffic VALUES (1, '2026-01-01', 0, 0, 1, 7)`, ['buckets']],
    ['a lost slot', `DELETE FROM link_visit_slots WHERE link_id = 1 AND potential_bot`, ['slots']],
    [
      'a slot too high',
      `UPDATE link_visit_slots SET visits = visits + 1 WHERE link_id = 1 AND potential_bot`,
      ['slots'],
    ],
    ['a wrong total', `UPDATE link_totals SET non_bot_visits = non_bot_visits - 1 WHERE link_id = 1`, ['totals']],
    ['a lost total', `DELETE FROM link_totals WHERE link_id = 1`, ['totals']],
    ['a doctored visitor', `UPDATE link_folds SET visitors[1] = visitors[1] - 1 WHERE ${firstHour}`, ['folds']],
    ['a lost IP', `UPDATE link_folds SET ips = ips[2:] WHERE ${firstHour}`, ['folds']],
    [
      'a wrong dimension',
      `UPDATE link_dimensions SET human = human + 1 WHERE ${firstHour} AND dimension = 'os' AND value = 'Linux'`,
      ['dimensions'],
    ],
    [
      'a renamed value',
      `UPDATE link_dimensions SET value = 'Paris' WHERE ${firstHour} AND dimension = 'city' AND value = 'Paris, FR'`,
      ['dimensions', 'dimensions'],
    ],
    [
      'a tag with too many visits',
      `INSERT INTO tag_changes (tag_id, links, visits, non_bot_visits) VALUES (7, 0, 1, 1)`,
      null,
      'tags',
    ],
    ['a lost sum of a host', `DELETE FROM host_traffic WHERE ${ofHost}`, null, ['hosts', 'host-totals']],
    ['a visit too many of a host', `UPDATE host_traffic SET p = p + 1 WHERE ${ofHost}`, null, ['hosts', 'host-totals']],
    ['the checksum of a host', `UPDATE host_traffic SET checksum = checksum # 5 WHERE ${ofHost}`, null, 'hosts'],
    ['a change of hosts that got lost', `DELETE FROM host_changes WHERE folded_at IS NULL`, null, 'hosts'],
    [
      'another host',
      `UPDATE host_traffic SET host_id = (SELECT id FROM hosts WHERE kind = 0 AND name = 'com') WHERE ${ofHost}`,
      null,
      ['hosts', 'host-totals'],
    ],
    ['a wrong sum of a host', 'UPDATE host_sums SET by_class[2] = by_class[2] + 1 WHERE kind = 1', null, 'host-sums'],
    ['a lost sum of what is below', `DELETE FROM host_sums WHERE parent_id = 0`, null, 'host-sums'],
    ['a wrong total of a host', 'UPDATE host_totals SET n = n + 1 WHERE kind = 2', null, 'host-totals'],
    [
      'a lost source minute',
      `DELETE FROM source_traffic WHERE minute = (SELECT min(minute) FROM source_traffic)`,
      null,
    ],
  ])(
    'finds %s, and notes the sums that are in doubt because of it',
    async (_name, damage, checks, ofNoLink = 'sources') => {
      await server.query(damage);
      // A link's bucket is also in those of all links, its domain and its group.
      const ofAll =
        checks?.includes('buckets') === true ? ['buckets', 'scopes', 'hosts'] : (checks ?? [ofNoLink].flat());
      expect([...new Set(await found())]).toEqual([...new Set(ofAll)]);
      // What gateways made durable is no sum of which an answer says that it is exact.
      const inDoubt = new Set(ofAll.filter((check) => check !== 'sources'));
      expect((await readDoubted(database))?.checks ?? []).toEqual([...inDoubt].sort());
      if (checks !== null) expect(await found('1')).toEqual(checks);
      expect(await found('2')).toEqual([]);
    },
  );

  it('doubts the range that holds all that differs, and all of it where more differs than it counts', async () => {
    const inDoubt = async () => {
      expect((await verify()).isDoubted).toBe(true);
      return readDoubted(database);
    };
    await server.query(`UPDATE link_totals SET visits = visits + 1 WHERE link_id = 1`);
    const ofTotals = await inDoubt();
    expect(ofTotals).toMatchObject({ checks: ['totals'], to: ofTotals?.from });
    const buckets = [FROM + DAY_MS, FROM + 2 * DAY_MS + BUCKET_MS];
    for (const at of buckets)
      await server.query(`INSERT INTO scope_traffic VALUES ('group', 'g-9', $1, 0, 0, 1, 7)`, [new Date(at)]);
    const range = { from: buckets[0], to: buckets[1]! + BUCKET_MS };
    const doubted = await inDoubt();
    expect(doubted).toMatchObject({ ...range, checks: ['scopes', 'totals'], since: ofTotals?.since });
    // Found again meanwhile: what was compared before that is no reason to trust them.
    await verify();
    await trustSums(database, doubted, { archived: true });
    expect(await readDoubted(database)).toMatchObject(range);
    await server.query(
      `INSERT INTO scope_traffic SELECT 'group', 'g-' || n, $1, 0, 0, 1, 7 FROM generate_series(1, 1000) AS n`,
      [new Date(FROM)],
    );
    expect((await inDoubt())?.from).toBeLessThan(FROM);
  });

  it('trusts sums of dropped months only where files were compared, too', async () => {
    await server.query(`INSERT INTO doubted_sums (from_time, to_time) VALUES ($1, $2)`, [new Date(FROM), new Date(TO)]);
    await server.query(`INSERT INTO ledger_retention (kept_from) VALUES ($1)`, [new Date(FROM + DAY_MS)]);
    await trustSums(database, await readDoubted(database), { archived: false });
    expect(await readDoubted(database)).toBeDefined();
    await trustSums(database, await readDoubted(database), { archived: true });
    expect(await readDoubted(database)).toBeUndefined();
  });

  it.each([
    ['a link', `UPDATE link_traffic SET visits = visits + 1 WHERE ${firstBucket}`],
    ['a group', `UPDATE scope_traffic SET scope_id = 'g-9' WHERE scope = 'group'`],
    ['a host', `UPDATE host_traffic SET p = p + 1 WHERE ${ofHost}`],
    ['a time without visits', `INSERT INTO scope_traffic VALUES ('all', '', '2030-01-01Z', 0, 0, 1, 7)`],
  ])('sweeps over all sums part by part, and notes a wrong one of %s', async (_, damage) => {
    const sweep = new SumsSweep(database, { visitsAtOnce: 40, rests: 0 });
    const round = async () => {
      let [steps, differences] = [0, 0];
      for (let isOver = false; !isOver; steps += 1) {
        const step = await sweep.step();
        isOver = step?.isRoundOver === true;
        differences += step?.differences.length ?? 0;
      }
      expect(steps).toBeGreaterThan(5);
      return differences;
    };
    expect([await round(), await readDoubted(database)]).toEqual([0, undefined]);
    await server.query(damage);
    expect(await round()).toBeGreaterThan(0);
    expect(await readDoubted(database)).toBeDefined();
  });

  it('sweeps over no more than the ledger has', async () => {
    await server.query(`INSERT INTO ledger_retention (kept_from) VALUES ($1)`, [new Date(FROM + 2 * DAY_MS)]);
    await server.query(`DELETE FROM visits WHERE occurred_at < $1`, [new Date(FROM + 2 * DAY_MS)]);
    const sweep = new SumsSweep(database, { visitsAtOnce: 150, rests: 0 });
    expect(await sweep.step()).toEqual({ differences: [], isRoundOver: true });
  });

  it('rests after a step of the sweep', async () => {
    const sweep = new SumsSweep(database);
    expect([await sweep.step(), await sweep.step()]).toEqual([{ differences: [], isRoundOver: true }, undefined]);
  });

  it('finds one visit lost and another in its place, which no count shows', async () => {
    const [victim] = await server.query<{ event_id: string; occurred_at: Date }>(
      'SELECT event_id, occurred_at FROM visits WHERE link_id = 1 LIMIT 1',
    );
    if (victim === undefined) throw new Error('no visit');
    await server.query('UPDATE visits SET event_id = $1 WHERE event_id = $2', [
      eventIdAt(victim.occurred_at.getTime()),
      victim.event_id,
    ]);
    const checks = await found();
    expect(checks.filter((check) => check === 'buckets')).toHaveLength(1);
    expect(checks.filter((check) => check === 'sources')).toHaveLength(1);
    expect(checks.filter((check) => check === 'folds').length).toBeGreaterThan(0);
    expect(checks).not.toContain('slots');
  });

  it('finds an event id that stands in two partitions', async () => {
    await server.query(
      `INSERT INTO visits SELECT (jsonb_populate_record(visit, '{"occurred_at": "2026-08-31T12:00:00Z"}')).*
       FROM visits AS visit WHERE link_id = 2 LIMIT 1`,
    );
    expect(await found()).toContain('event-ids');
  });

  it('calls a fold outdated by a late visit stale, not wrong, and leaves out totals about to be refreshed', async () => {
    const [first] = await server.query<{ at: Date }>('SELECT min(occurred_at) AS at FROM visits WHERE link_id = 1');
    await commit([randomVisit(randomSource(1), '1', first?.at.getTime() ?? FROM)]);
    const report = await verify();
    expect(report.differences).toEqual([]);
    expect(report.checked.staleFolds).toBe(1);
    expect(report.skipped).toEqual(['totals of links in 1 unprocessed changes']);
  });

  it('compares each month once, and what lies beside the months of the ledger', async () => {
    const at = (month: number, day: number) => new Date(Date.UTC(2026, month, day, 10));
    await commit([at(9, 2), at(10, 3)].map((time) => randomVisit(randomSource(2), '1', time.getTime())));
    await server.query('DELETE FROM link_changes');
    await server.query(`DELETE FROM link_totals`);
    const outside = async () => (await found()).filter((check) => check === 'buckets' || check === 'sources');
    expect(await outside()).toEqual([]);
    for (const [month, day] of [
      [9, 2],
      [10, 3],
    ] as const)
      await server.query('UPDATE link_traffic SET visits = visits + 1 WHERE bucket = $1', [at(month, day)]);
    for (const year of [2020, 2030])
      await server.query(`INSERT INTO link_traffic VALUES (1, $1, 0, 0, 1, 7)`, [new Date(Date.UTC(year, 0, 1))]);
    expect(await outside()).toEqual(['buckets', 'buckets', 'buckets', 'buckets']);
  });

  it('compares from the first month that is kept', async () => {
    await server.query(`INSERT INTO ledger_retention (kept_from) VALUES ($1)`, [new Date(FROM + 2 * DAY_MS)]);
    await server.query(`DELETE FROM visits WHERE occurred_at < $1`, [new Date(FROM + 2 * DAY_MS)]);
    const report = await verify();
    expect(report.differences).toEqual([]);
    expect(report.skipped).toEqual([expect.stringContaining('visits before')]);
    expect(report.checked).toMatchObject({ slots: expect.any(Number), totals: 2 });
    await server.query(`DELETE FROM visits WHERE occurred_at = (SELECT max(occurred_at) FROM visits)`);
    expect(await found()).toContain('buckets');
  });
});
