import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { classifyPostgresError, Database, type Transaction } from '@hopcount/postgres';
import { testDatabase, waitUntil } from '@hopcount/testing';
import fc from 'fast-check';

import type { OwnedCheckpoint } from './checkpoint.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { PartitionCheckpoints } from './partition-checkpoints.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { VisitCommitter } from './visit-committer.js';

const REF = { group: 'g', topic: 'visits', partition: 3 };

describe('the commit stage', () => {
  let server: Awaited<ReturnType<typeof testDatabase>>;
  let database: Database;
  let checkpoints: PartitionCheckpoints;
  let committer: VisitCommitter;
  let owned: OwnedCheckpoint;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    checkpoints = new PartitionCheckpoints(database);
    committer = new VisitCommitter(database, { slots: 8 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await database.query(
      'TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, consumer_checkpoints',
    );
    owned = await checkpoints.takeOwnership(REF, 'me');
  });

  const commit = (visits: ReturnType<typeof enrichedVisit>[], from = owned) =>
    committer.commit({
      checkpoint: from,
      nextOffset: from.nextOffset + BigInt(visits.length),
      lastRecordAtMs: Date.now(),
      visits,
    });

  /** Rows of the ledger and the sum of every table that must agree with it. */
  async function totals() {
    const [row] = await database.query<Record<string, number>>(`
      SELECT (SELECT count(*) FROM visits)::int AS ledger,
             (SELECT coalesce(sum(visits), 0) FROM link_traffic)::int AS traffic,
             (SELECT coalesce(sum(visits), 0) FROM scope_traffic WHERE scope = 'all')::int AS "all",
             (SELECT coalesce(sum(visits), 0) FROM scope_traffic WHERE scope = 'domain')::int AS domains,
             (SELECT coalesce(sum(visits), 0) FROM scope_traffic WHERE scope = 'group')::int AS groups,
             (SELECT coalesce(sum(visits), 0) FROM link_visit_slots)::int AS slots,
             (SELECT coalesce(sum(visits), 0) FROM source_traffic)::int AS sources`);
    return row;
  }

  const all = (n: number) => ({ ledger: n, traffic: n, all: n, domains: n, groups: n, slots: n, sources: n });

  it('counts a visit once, however often and wherever it is delivered', async () => {
    const visits = [enrichedVisit(), enrichedVisit({ class: 'bot' }), enrichedVisit({ linkId: '1002' })];
    const first = await commit([...visits, visits[0] ?? enrichedVisit()]);
    expect(first).toMatchObject({ duplicates: 1, purged: 0 });
    expect([...first.inserted].sort()).toEqual(visits.map((visit) => visit.eventId).sort());

    const otherPartition = await checkpoints.takeOwnership({ ...REF, partition: 4 }, 'me');
    const again = await commit(visits, otherPartition);
    expect(again).toMatchObject({ inserted: [], duplicates: 3 });
    expect(await totals()).toEqual(all(3));
  });

  it('counts the new visits of a batch that is partly known', async () => {
    const known = enrichedVisit();
    const { checkpoint } = await commit([known]);
    const result = await commit([known, enrichedVisit(), enrichedVisit()], checkpoint);
    expect(result.inserted).toHaveLength(2);
    expect(await totals()).toEqual(all(3));
    const [row] = await database.query<{ equal: boolean }>(
      `SELECT (SELECT bit_xor(event_checksum(event_id)) FROM visits) = (SELECT bit_xor(checksum) FROM link_traffic) AS equal`,
    );
    expect(row?.equal).toBe(true);
  });

  it('advances the checkpoint in the same transaction, and never moves it back', async () => {
    const { checkpoint } = await commit([enrichedVisit(), enrichedVisit()]);
    expect(checkpoint.nextOffset).toBe(2n);
    const replayed = await committer.commit({ checkpoint, nextOffset: 1n, lastRecordAtMs: Date.now(), visits: [] });
    expect(replayed.checkpoint.nextOffset).toBe(2n);
  });

  it('F5: refuses a stale owner and writes nothing of its batch', async () => {
    await checkpoints.takeOwnership(REF, 'somebody else');
    await expect(commit([enrichedVisit()])).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await totals()).toEqual(all(0));
  });

  it('refuses to go on when the checkpoint is not where this owner left it (a restored database)', async () => {
    await commit([enrichedVisit()]);
    await expect(commit([enrichedVisit()])).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await totals()).toEqual(all(1));
  });

  it('L3: leaves nothing behind when a later statement fails', async () => {
    await database.query('ALTER TABLE source_traffic ADD CONSTRAINT broken CHECK (visits < 0)');
    await expect(commit([enrichedVisit()])).rejects.toThrow();
    await database.query('ALTER TABLE source_traffic DROP CONSTRAINT broken');
    expect(await totals()).toEqual(all(0));
    expect((await commit([enrichedVisit()])).inserted).toHaveLength(1);
  });

  it('loses and doubles nothing when the insert fails after the visits were staged', async () => {
    const visits = [enrichedVisit(), enrichedVisit({ class: 'bot' }), enrichedVisit({ linkId: '1002' })];
    await database.query('ALTER TABLE visits ADD CONSTRAINT broken CHECK (class > 7) NOT VALID');
    await expect(commit(visits)).rejects.toMatchObject({ code: '23514' });
    await database.query('ALTER TABLE visits DROP CONSTRAINT broken');
    expect(await totals()).toEqual(all(0));
    const { checkpoint, inserted } = await commit(visits);
    expect(inserted).toHaveLength(3);
    expect((await commit([enrichedVisit()], checkpoint)).inserted).toHaveLength(1);
    expect(await totals()).toEqual(all(4));
  });

  it('loses and doubles nothing when its connection is lost between staging and inserting', async () => {
    const visits = [enrichedVisit(), enrichedVisit({ class: 'bot' })];
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const outcome = await database.transaction(async (tx) => {
      await tx.query('LOCK TABLE visits IN ACCESS EXCLUSIVE MODE');
      const lost = commit(visits).catch((error: unknown) => classifyPostgresError(error));
      await waitUntil(async () => (await database.query(waiting)).length === 1, { describe: 'the insert waits' });
      await database.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS one`);
      return lost;
    });
    expect(outcome).toBe('unavailable');
    expect(await totals()).toEqual(all(0));
    expect((await commit(visits)).inserted).toHaveLength(2);
    expect(await totals()).toEqual(all(2));
  });

  it('holds nothing that others wait for while its visits are copied', async () => {
    let copies = 0;
    const watched = new VisitCommitter(
      {
        transaction: (work: (tx: Transaction) => Promise<unknown>) =>
          database.transaction((tx) => {
            const copyRows = async (...args: Parameters<Transaction['copyRows']>) => {
              copies += (await database.query('SELECT FROM consumer_checkpoints FOR UPDATE NOWAIT')).length;
              return tx.copyRows(...args);
            };
            return work({ ...tx, copyRows });
          }),
      } as Database,
      { slots: 8 },
    );
    const visits = [enrichedVisit()];
    await watched.commit({ checkpoint: owned, nextOffset: 1n, lastRecordAtMs: 1, visits });
    expect(copies).toBe(1);
    expect(await totals()).toEqual(all(1));
  });

  it('stores every value byte for byte', async () => {
    const awkward = fc.constantFrom(
      '\\N',
      '\t\r\n',
      '"{}\\',
      'NULL',
      'e\u0301',
      '\ud83e\udda3',
      'ü'.repeat(300),
      'a'.repeat(2_048),
    );
    const text = fc
      .oneof(awkward, fc.string({ unit: 'binary', minLength: 1 }))
      .map((value) => value.replaceAll('\0', '-'));
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    const fields = fc.record({
      atMs: fc.integer({ min: 0, max: Date.UTC(2600, 11, 31) }),
      linkId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String),
      visitor: fc.option(int64),
      ip: fc.option(int64),
      clientIp: fc.option(fc.oneof(fc.ipV4(), fc.constantFrom('2001:db8::', '::ffff:1.2.3.4'))),
      latitude: fc.option(fc.constantFrom(-90, 47.3769, 0)),
      city: text,
      browser: text,
      browserVersion: fc.option(text),
      referrer: fc.option(text),
      userAgent: fc.option(text),
      destination: fc.option(text),
      utm: fc.option(fc.record({ source: fc.option(text), medium: text })),
      truncated: fc.array(fc.constantFrom('referrer', 'userAgent')),
      source: text,
      route: fc.option(text),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 8 }), async (rows) => {
        const visits = rows.map((row) => enrichedVisit(row));
        ({ checkpoint: owned } = await commit(visits));
        const stored = await database.query(
          `SELECT event_id AS "eventId", (extract(epoch FROM occurred_at) * 1000)::bigint::text AS "atMs", link_id AS "linkId", visitor, ip,
             host(client_ip) AS "clientIp", latitude, city, browser, browser_version AS "browserVersion", referrer,
             user_agent AS "userAgent", destination, utm, coalesce(truncated, '{}') AS truncated, source, route
           FROM visits WHERE event_id = ANY ($1)`,
          [visits.map(({ eventId }) => eventId)],
        );
        const wanted = rows.map(({ atMs, ...row }, place) => ({
          ...row,
          atMs: String(atMs),
          eventId: visits[place]?.eventId,
        }));
        const byId = (list: { eventId?: unknown }[]) =>
          list.sort((a, b) => (String(a.eventId) < String(b.eventId) ? -1 : 1));
        expect(byId(stored)).toEqual(byId(wanted));
      }),
      { numRuns: 25 },
    );
  });

  it('finds the visits PostgreSQL cannot hold, and only those', async () => {
    const visits = Array.from({ length: 9 }, (_, index) =>
      enrichedVisit(index === 2 ? { userAgent: 'a\u0000b' } : index === 7 ? { linkId: '9999999999999999999' } : {}),
    );
    await expect(commit(visits)).rejects.toThrow();
    const unstorable = await committer.findUnstorable(visits);
    expect(unstorable).toEqual([visits[2], visits[7]]);
    const rest = visits.filter((visit) => !unstorable.includes(visit));
    expect((await commit(rest)).inserted).toHaveLength(7);
  });

  it('keeps purged visits out and counts later ones', async () => {
    const before = enrichedVisit({ linkId: '555', atMs: Date.now() - 60_000 });
    const after = enrichedVisit({ linkId: '555' });
    await database.query(
      `INSERT INTO domains (authority, is_default) VALUES ('localhost', true) ON CONFLICT DO NOTHING`,
    );
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url, purged_before)
       SELECT 555, id, 'purged', 'https://example.com/', now() - interval '30 seconds' FROM domains LIMIT 1`,
    );
    expect(await commit([before, after])).toMatchObject({ inserted: [after.eventId], duplicates: 0, purged: 1 });
  });

  it('takes the group from the link row, and keeps visits of links it does not know', async () => {
    await database.query(`INSERT INTO domains (authority) VALUES ('groups.test')`);
    await database.query(`INSERT INTO groups (id, name) VALUES ('g1', 'Group')`);
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url, group_id)
       SELECT 777, id, 'grouped', 'https://example.com/', 'g1' FROM domains WHERE authority = 'groups.test'`,
    );
    await commit([enrichedVisit({ linkId: '777' }), enrichedVisit({ linkId: '778' })]);
    const rows = await database.query('SELECT link_id, group_id FROM visits ORDER BY link_id');
    expect(rows).toEqual([
      { link_id: '777', group_id: 'g1' },
      { link_id: '778', group_id: null },
    ]);
  });

  it('counts for all links, the domain and the group, by quarter of an hour and class, each partition in rows of its own', async () => {
    await database.query(
      `INSERT INTO domains (id, authority) OVERRIDING SYSTEM VALUE VALUES (71, 'a.test'), (72, 'b.test')`,
    );
    await database.query(`INSERT INTO groups (id, name) VALUES ('g-a', 'A'), ('g-b', 'B')`);
    await database.query(
      `INSERT INTO links (id, domain_id, code, long_url, group_id)
       SELECT id, domain_id, id, 'https://example.com/', group_id
       FROM (VALUES (881, 71, 'g-a'), (882, 71, NULL), (883, 72, 'g-b')) AS link (id, domain_id, group_id)`,
    );
    const at = Date.parse('2026-11-20T10:14:59.999Z');
    const visit = (linkId: string, fields: Parameters<typeof enrichedVisit>[0] = {}) =>
      enrichedVisit({ linkId, atMs: at, ...fields });
    const visits = [
      visit('881'),
      visit('881', { class: 'bot' }),
      visit('882'),
      visit('883', { atMs: at + 1 }),
      visit('884'),
    ];
    await commit(visits);
    await database.query(`UPDATE links SET group_id = 'g-b' WHERE id = 881`);
    const other = await checkpoints.takeOwnership({ ...REF, partition: 4 }, 'me');
    await commit([visit('881'), ...visits], other);
    const rows = await database.query<{ row: string }>(
      `SELECT concat_ws(' ', scope, nullif(scope_id, ''), to_char(bucket, 'HH24:MI'), class, slot_id, visits) AS row
       FROM scope_traffic ORDER BY scope, scope_id, bucket, class, slot_id`,
    );
    expect(rows.map(({ row }) => row)).toEqual([
      ...['all 10:00 0 3 3', 'all 10:00 0 4 1', 'all 10:00 1 3 1', 'all 10:15 0 3 1'],
      'domain 10:00 0 3 1',
      ...['domain 71 10:00 0 3 2', 'domain 71 10:00 0 4 1', 'domain 71 10:00 1 3 1', 'domain 72 10:15 0 3 1'],
      'group 10:00 0 3 2',
      ...['group g-a 10:00 0 3 1', 'group g-a 10:00 1 3 1', 'group g-b 10:00 0 4 1', 'group g-b 10:15 0 3 1'],
    ]);
    const { differences } = await new StatisticsVerifier(database).verify();
    expect(differences.filter(({ check }) => check === 'scopes')).toEqual([]);
  });

  it('makes a new owner wait for the transaction a zombie has open', async () => {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const zombie = database.transaction(async (tx) => {
      await tx.query(`UPDATE consumer_checkpoints SET next_offset = 5 WHERE partition = 3 AND owner_epoch = $1`, [
        owned.epoch.toString(),
      ]);
      open();
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    await opened;
    const successor = await checkpoints.takeOwnership(REF, 'successor');
    await zombie;
    expect(successor.nextOffset).toBe(5n);
    expect(successor.epoch).toBe(owned.epoch + 1n);
  });
});
