import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit, randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Archive } from '../archive.js';
import { ArchiveSpec, eventIdsOf, hourAt, readRows } from '../archive.spec-helpers.js';
import { VISIT_COLUMNS } from '../visit-columns.js';

/** A row of a file as a row of the ledger. */
const RESTORE_ROW = `INSERT INTO restored
  SELECT (json_populate_record(NULL::restored, (
    $1::jsonb || jsonb_build_object('utm', ($1::jsonb->>'utm')::jsonb, 'truncated', ($1::jsonb->>'truncated')::jsonb)
  )::json)).*`;
const HOUR = hourAt('10T08');
const LATER = HOUR + 3 * HOUR_MS;

describe('sealing closed hours', () => {
  let spec: ArchiveSpec;
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
  });
  afterEach(() => spec.close());

  const visitsAt = (atMs: number, count: number, linkId = '7') =>
    Array.from({ length: count }, (_, n) => randomVisit(randomSource(n + 1), linkId, atMs + n * 1_000));

  it('writes each hour to a file with number and checksum, and closed hours alone', async () => {
    const first = visitsAt(HOUR, 40);
    const second = visitsAt(HOUR + HOUR_MS, 3, '8');
    const open = visitsAt(HOUR + 2 * HOUR_MS, 5);
    await spec.commit([...first, ...second, ...open]);
    expect(await spec.seal(HOUR + 2 * HOUR_MS)).toEqual({
      hours: 2,
      visits: 43,
      removedVisits: 0,
      attributed: 0,
      failed: [],
    });
    const files = await spec.active();
    expect(files.map(({ level, period, visits, state }) => ({ level, from: period.from, visits, state }))).toEqual([
      { level: 'hour', from: HOUR, visits: 40, state: 'active' },
      { level: 'hour', from: HOUR + HOUR_MS, visits: 3, state: 'active' },
    ]);
    expect(await spec.contents()).toEqual(eventIdsOf([...first, ...second]));
    expect(await spec.seal(HOUR + 2 * HOUR_MS)).toMatchObject({ hours: 0 });
    expect(spec.onDisk()).toHaveLength(2);
    expect(await spec.archive.verify(HOUR + 2 * HOUR_MS)).toMatchObject({
      differences: [],
      files: 2,
      visits: 43,
      dueHours: [],
    });
  });

  it('writes a backlog to one file a day, or hour by hour where that fails', async () => {
    const day = hourAt('10T00');
    const visits = Array.from({ length: 26 }, (_, n) => visitsAt(day + n * HOUR_MS, 4, String(1 + (n % 3)))).flat();
    await spec.commit(visits);
    const change = (by: number) =>
      spec.ledger.server.query('UPDATE link_traffic SET visits = visits + $2 WHERE bucket = $1', [new Date(day), by]);
    const levels = async () => (await spec.active()).map((file) => [file.level, file.visits]);
    await change(1);
    expect(await spec.seal(day + 8 * HOUR_MS)).toMatchObject({ hours: 7, visits: 28, failed: [{}] });
    expect(await levels()).toEqual(Array.from({ length: 7 }, () => ['hour', 4]));
    await change(-1);
    expect(await spec.seal(day + 26 * HOUR_MS)).toMatchObject({ hours: 19, visits: 76, failed: [] });
    expect((await levels()).sort()).toEqual([['day', 64], ...Array.from({ length: 10 }, () => ['hour', 4])]);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(await spec.archive.verify(day + 26 * HOUR_MS)).toMatchObject({ differences: [], dueHours: [] });
  });

  it('sorts a file by link and time', async () => {
    await spec.commit([
      ...visitsAt(HOUR, 20, '100'),
      ...visitsAt(HOUR, 20, '9'),
      ...visitsAt(HOUR - 1_000_000, 20, '9'),
    ]);
    await spec.seal(LATER);
    await spec.commit([...visitsAt(HOUR + 500, 20, '9'), ...visitsAt(HOUR + 500, 20, '8')]);
    await spec.seal(LATER);
    for (const file of await spec.active()) {
      const rows = await readRows<{ link: number; at: string; id: string }>(
        [spec.pathOf(file)],
        'link_id::INTEGER AS link, occurred_at::VARCHAR AS at, event_id::VARCHAR AS id',
      );
      const keys = rows.map(({ link, at, id }) => `${String(link).padStart(9)} ${at} ${id}`);
      expect(keys).toEqual([...keys].sort());
    }
  });

  it('keeps every column, so that a row can go back as it was', async () => {
    const odd = [
      { destination: 'https://e.test/?a="b",c\nd', userAgent: '', referrer: null },
      { referrer: '\\N', userAgent: 'ünï 🦄 \t\r\n"', latitude: -0.1, longitude: 179.99999, region: 'NULL' },
      { utm: { source: 'a"b', term: null }, truncated: ['referrer', 'userAgent'], clientIp: '2001:db8::' },
      { visitor: null, ip: null, clientIp: null, osVersion: null, browserVersion: '', latitude: 1e-7 },
      { visitor: '-9223372036854775808', ip: '9223372036854775807' },
    ].map((fields, n) => enrichedVisit({ atMs: HOUR + n, ...fields }));
    await spec.ledger.addLink('1001');
    await spec.ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g,"1"', 'g')`);
    await spec.ledger.server.query(`UPDATE links SET group_id = 'g,"1"'`);
    await spec.commit(odd);
    await spec.seal(LATER);
    const fields = VISIT_COLUMNS.map(({ name, type }) => `${name}: ${type === 'FLOAT' ? name : `${name}::VARCHAR`}`);
    const files = (await spec.active()).map((file) => spec.pathOf(file));
    await spec.ledger.server.query('CREATE TABLE restored (LIKE visits)');
    for (const { row } of await readRows<{ row: string }>(files, `to_json({${fields.join(', ')}})::VARCHAR AS row`)) {
      await spec.ledger.server.query(RESTORE_ROW, [row]);
    }
    expect(await spec.ledger.server.query('SELECT * FROM visits EXCEPT ALL SELECT * FROM restored')).toEqual([]);
    expect(await spec.ledger.server.query('SELECT count(*)::int AS n FROM restored')).toEqual([{ n: odd.length }]);
  });

  it('knows every column the ledger has', async () => {
    const columns = await spec.ledger.server.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'visits'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    );
    expect(VISIT_COLUMNS.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
  });

  it('seals late visits, and nothing else, into one more file', async () => {
    const early = [...visitsAt(HOUR, 30), ...visitsAt(HOUR + 60_000, 5, '8')];
    await spec.commit(early);
    await spec.seal(LATER);
    const late = [...visitsAt(HOUR + 1, 2), ...visitsAt(HOUR + 2, 1, '9')];
    await spec.commit([...late, ...early]);
    expect(await spec.seal(LATER)).toMatchObject({ hours: 1, visits: 3, failed: [] });
    expect((await spec.active()).map(({ visits }) => visits).sort()).toEqual([3, 35]);
    expect(await spec.contents()).toEqual(eventIdsOf([...early, ...late]));
  });

  it('seals what is missing of an hour in less memory than it takes', async () => {
    const early = Array.from({ length: 600 }, (_, n) => visitsAt(HOUR + n, 3, String(100 + n))).flat();
    await spec.commit(early);
    await spec.seal(LATER);
    const { server } = spec.ledger;
    // 72,000 rows of 1 KB, in no order of their links.
    await server.query(
      `CREATE TABLE more AS SELECT (array_agg(visits))[1] AS one FROM (SELECT visits FROM visits LIMIT 1) AS template`,
    );
    await server.query(
      `INSERT INTO visits SELECT row.* FROM more, generate_series(1, 72000) AS n,
        LATERAL jsonb_populate_record(one, jsonb_build_object(
          'event_id', gen_random_uuid(), 'link_id', n * 7919 % 1000 + 100, 'occurred_at', to_timestamp($1::float8 + n / 24.0),
          'user_agent', repeat(md5(n::text), 15) || n)) AS row`,
      [HOUR / 1_000],
    );
    await server.query(`INSERT INTO link_traffic (link_id, bucket, class, slot_id, visits, checksum)
      SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01Z'), class, 0, count(*), bit_xor(event_checksum(event_id))
      FROM visits WHERE length(user_agent) > 480 GROUP BY 1, 2, 3
      ON CONFLICT (link_id, bucket, class, slot_id) DO UPDATE
      SET visits = link_traffic.visits + excluded.visits, checksum = link_traffic.checksum # excluded.checksum`);
    const archive = new Archive(spec.ledger.database, { root: spec.root, memoryMb: 96 });
    expect(await archive.seal(await archive.dueHours(LATER, 'all'))).toMatchObject({ visits: 72_000, failed: [] });
    expect(await archive.verify(LATER)).toMatchObject({ differences: [], visits: 73_800, dueHours: [] });
    const [large] = (await spec.active()).filter(({ visits }) => visits === 72_000);
    const rows = await readRows<{ link: number }>([spec.pathOf(large!)], 'link_id::INTEGER AS link');
    expect(rows.every(({ link }, n) => n === 0 || link >= rows[n - 1]!.link)).toBe(true);
    // Written anew without what was purged: neither more memory, nor another order.
    await spec.ledger.addLink('101');
    await spec.purge('101', LATER);
    expect(await archive.seal([HOUR])).toMatchObject({ visits: 0, removedVisits: 75, failed: [] });
    const [rest] = (await spec.active()).filter(({ visits }) => visits === 71_928);
    const left = await readRows<{ link: number }>([spec.pathOf(rest!)], 'link_id::INTEGER AS link');
    expect(left).toEqual(rows.filter(({ link }) => link !== 101));
  });

  it('takes purged visits out of files, and a file away of which none is left', async () => {
    const purged = visitsAt(HOUR, 10);
    const rest = visitsAt(HOUR + HOUR_MS, 4);
    const other = visitsAt(HOUR, 6, '8');
    for (const link of ['7', '8']) await spec.ledger.addLink(link);
    await spec.commit([...purged, ...other]);
    await spec.commit(rest);
    await spec.seal(LATER);
    await spec.commit(visitsAt(HOUR + 30, 2, '8'));
    await spec.purge('7', HOUR + HOUR_MS);
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], purgedVisits: 10, dueHours: [HOUR] });
    expect(await spec.seal(LATER)).toMatchObject({ visits: 2, removedVisits: 10, failed: [] });
    expect(await spec.archive.verify(LATER)).toMatchObject({
      differences: [],
      purgedVisits: 0,
      dueHours: [],
      visits: 12,
    });
    await spec.purge('8', LATER);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 0, removedVisits: 8 });
    expect((await spec.active()).map(({ visits }) => visits)).toEqual([4]);
    expect(await spec.contents()).toEqual(eventIdsOf(rest));
  });

  it('leaves visits of a purge under way where they are until it is done', async () => {
    const visits = visitsAt(HOUR, 10);
    await spec.ledger.addLink('7');
    await spec.commit(visits);
    await spec.seal(LATER);
    await spec.ledger.server.query('UPDATE links SET purged_before = $1', [new Date(LATER)]);
    await spec.ledger.server.query('INSERT INTO unfinished_purges (link_id, purged_before) VALUES (7, $1)', [
      new Date(LATER),
    ]);
    expect(await spec.archive.seal([HOUR])).toEqual({
      hours: 0,
      visits: 0,
      removedVisits: 0,
      attributed: 0,
      failed: [],
    });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    await spec.purge('7', LATER);
    expect(await spec.seal(LATER)).toMatchObject({ removedVisits: 10, failed: [] });
    expect(await spec.active()).toEqual([]);
  });

  it('lets an hour that fails delay only itself', async () => {
    await spec.commit([...visitsAt(HOUR, 3), ...visitsAt(HOUR + HOUR_MS, 4)]);
    // Buckets that know more than the ledger: nobody can say which of the two is right.
    await spec.ledger.server.query('UPDATE link_traffic SET visits = visits + 1 WHERE bucket < $1', [
      new Date(HOUR + HOUR_MS),
    ]);
    const report = await spec.seal(LATER);
    expect(report).toMatchObject({ hours: 1, visits: 4 });
    expect(report.failed).toEqual([
      { what: '2026-09-10T08:00:00.000Z', error: expect.objectContaining({ code: 'archive-read-back-differs' }) },
    ]);
    expect(spec.onDisk()).toHaveLength(1);
    await spec.ledger.server.query('UPDATE link_traffic SET visits = visits - 1 WHERE bucket < $1', [
      new Date(HOUR + HOUR_MS),
    ]);
    expect(await spec.seal(LATER)).toMatchObject({ hours: 1, visits: 3, failed: [] });
  });

  it('never holds a visit twice, also when two seal the same hour at once', async () => {
    const visits = visitsAt(HOUR, 50);
    await spec.commit(visits);
    const other = spec.openArchive();
    const reports = await Promise.all([spec.archive.seal([HOUR]), other.seal([HOUR])]);
    expect(reports.reduce((sum, report) => sum + report.visits, 0)).toBe(50);
    for (const { failed } of reports)
      for (const { error } of failed) expect(error).toMatchObject({ code: 'archive-moved-on' });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(spec.onDisk()).toHaveLength(1);
  });

  it('keeps a file that counts although the answer to its COMMIT was lost', async () => {
    const visits = visitsAt(HOUR, 5);
    await spec.commit(visits);
    const { manifest } = spec.archive;
    const change = manifest.change.bind(manifest);
    manifest.change = async (...given) => {
      await change(...given);
      throw new Error('no answer');
    };
    expect((await spec.seal(LATER)).failed).toMatchObject([{ error: { message: 'no answer' } }]);
    manifest.change = change;
    expect(await spec.seal(LATER)).toMatchObject({ visits: 0, failed: [] });
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
  });

  it('fails while there can be no such folder, and seals once there is one', async () => {
    await spec.commit([...visitsAt(HOUR, 3), ...visitsAt(HOUR + HOUR_MS, 4)]);
    const blocked = join(spec.root, 'blocked');
    writeFileSync(blocked, '');
    const hours = await spec.archive.dueHours(LATER, 'all');
    const blockedArchive = new Archive(spec.ledger.database, { root: blocked, memoryMb: 128 });
    await expect(blockedArchive.seal(hours)).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(await spec.active()).toEqual([]);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 7, failed: [] });
  });

  it('stops when told to, with what it sealed until then', async () => {
    const visits = [...visitsAt(HOUR, 3), ...visitsAt(HOUR + HOUR_MS, 4)];
    await spec.commit(visits);
    const stop = new AbortController();
    const { manifest } = spec.archive;
    const change = manifest.change.bind(manifest);
    manifest.change = async (...given) => {
      await change(...given);
      stop.abort();
    };
    const hours = await spec.archive.dueHours(LATER, 'all');
    await spec.archive.seal(hours, { signal: stop.signal }).catch(() => undefined);
    manifest.change = change;
    expect(await spec.contents()).toEqual(eventIdsOf(visits.slice(0, 3)));
    expect(await spec.seal(LATER)).toMatchObject({ visits: 4, failed: [] });
  });

  it('stops in the middle of an hour when told to', async () => {
    const visits = visitsAt(HOUR, 3);
    await spec.commit(visits);
    const stop = new AbortController();
    const { manifest } = spec.archive;
    const incarnation = manifest.incarnation.bind(manifest);
    manifest.incarnation = () => {
      stop.abort();
      return incarnation();
    };
    await expect(spec.archive.seal([HOUR], { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    manifest.incarnation = incarnation;
    expect([await spec.active(), spec.onDisk()]).toEqual([[], []]);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 3, failed: [] });
  });

  it('adds nothing for a database that was restored meanwhile', async () => {
    await spec.commit(visitsAt(HOUR, 5));
    const incarnation = spec.archive.manifest.incarnation.bind(spec.archive.manifest);
    spec.archive.manifest.incarnation = async () => {
      const before = await incarnation();
      await spec.ledger.server.query('UPDATE ledger_incarnation SET incarnation = gen_random_uuid()');
      return before;
    };
    expect((await spec.seal(LATER)).failed).toMatchObject([{ error: { code: 'archive-moved-on' } }]);
    spec.archive.manifest.incarnation = incarnation;
    expect([await spec.active(), spec.onDisk()]).toEqual([[], []]);
    expect(await spec.seal(LATER)).toMatchObject({ visits: 5 });
  });
});
