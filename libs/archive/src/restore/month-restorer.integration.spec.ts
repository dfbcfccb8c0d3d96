import { appendFileSync } from 'node:fs';

import {
  DAY_MS,
  type EnrichedVisit,
  HostFold,
  HOUR_MS,
  LedgerRebuild,
  LedgerRetention,
  VisitEraser,
} from '@hopcount/ledger';
import { enrichedVisit, randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from '../archive.spec-helpers.js';

const HOUR = hourAt('10T08');
const SEPTEMBER = Date.UTC(2026, 8, 1);
const OCTOBER = Date.UTC(2026, 9, 1);
const ROWS = `SELECT row_to_json(visit) AS row, latitude::float8, pg_column_size(truncated) AS size
  FROM visits AS visit ORDER BY occurred_at, event_id`;

/** Nulls and empty texts, quotes, line ends, what CSV and arrays are written with, floats and every kind of address. */
const odd: Partial<EnrichedVisit>[] = [
  { utm: { source: 'a"b,c\n{}', medium: '' }, truncated: ['userAgent', 'referrer'], userAgent: '"', referrer: '' },
  {
    userAgent: '\\.\n\\N',
    referrer: 'NULL',
    destination: "',;\t\r\n",
    clientIp: '2001:db8:1::',
    truncated: ['destination'],
  },
  {
    latitude: 48.8566,
    longitude: -0.000001,
    clientIp: null,
    visitor: null,
    ip: null,
    class: 'opted-out',
    userAgent: null,
  },
  {
    latitude: 3.4e38,
    longitude: 1.1754944e-38,
    visitor: '-9223372036854775808',
    ip: '9223372036854775807',
    region: 'Île "é" 🜁',
  },
  { latitude: 0.1, longitude: 179.99999, osVersion: '', browserVersion: null, language: 'de,en', utm: {} },
];

describe('restoring a month', () => {
  let spec: ArchiveSpec;
  let visits: EnrichedVisit[];
  beforeEach(async () => {
    spec = await ArchiveSpec.open();
    for (const link of ['1', '2']) await spec.ledger.addLink(link);
    const random = randomSource(3);
    visits = [
      ...odd.map((fields, n) => enrichedVisit({ atMs: SEPTEMBER + n, linkId: '1', ...fields })),
      ...Array.from({ length: 60 }, (_, n) => randomVisit(random, String(1 + (n % 2)), HOUR + n * 50 * 60_000)),
      enrichedVisit({ atMs: OCTOBER - 1, linkId: '2' }),
      enrichedVisit({ atMs: OCTOBER, linkId: '2' }),
    ];
    await spec.commit(visits);
    await spec.seal(OCTOBER);
    await spec.archive.merge(OCTOBER, Date.now());
  });
  afterEach(() => spec.close());

  const rows = () => spec.ledger.server.query(ROWS);
  const restore = (keepUntilMs = 0) => spec.archive.restore(HOUR, { keepUntilMs });
  const partition = async () => {
    const [row] = await spec.ledger.server.query<Record<string, unknown>>(
      `SELECT
         (SELECT string_agg(attname || format_type(atttypid, atttypmod) || attnotnull::text || attcollation::text || attcompression::text, ',' ORDER BY attnum)
          FROM pg_attribute WHERE attrelid = 'visits_2026_09'::regclass AND attnum > 0) AS columns,
         (SELECT string_agg(pg_get_indexdef(indexrelid), ';' ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = 'visits_2026_09'::regclass) AS indexes,
         (SELECT string_agg(conname || pg_get_constraintdef(oid), ';' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'visits_2026_09'::regclass) AS constraints,
         (SELECT count(*)::int FROM pg_inherits WHERE inhrelid = 'visits_2026_09'::regclass) AS parents`,
    );
    return row;
  };

  it('brings back every row as it was, in a partition as it was, and all numbers agree', async () => {
    const [before, made] = [await rows(), await partition()];
    expect(await spec.drop()).toBeNull();
    expect(await rows()).toHaveLength(1);
    const inFiles = eventIdsOf(visits.slice(0, -1));
    expect(await spec.archive.planRestore(HOUR)).toMatchObject({ visits: inFiles.length });
    const seen: number[] = [];
    expect(await spec.archive.restore(HOUR, { keepUntilMs: 0, onProgress: (n) => seen.push(n) })).toMatchObject({
      visits: inFiles.length,
    });
    expect(seen.at(-1)).toBe(inFiles.length);
    expect(await rows()).toEqual(before);
    expect(await partition()).toEqual(made);
    expect(await spec.ledger.differences()).toEqual([]);
    // The files are what they were, and nothing is to be sealed.
    expect(await spec.archive.dueHours(OCTOBER, 'all')).toEqual([]);
    expect(await spec.contents()).toEqual(inFiles);
    expect(await spec.ledger.server.query('SELECT kept_from FROM ledger_retention')).toEqual([
      { kept_from: new Date(SEPTEMBER) },
    ]);
  });

  it.each([
    ['all links', `UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'all' AND bucket < '2026-10-01Z'`],
    ['a domain', `DELETE FROM scope_traffic WHERE scope = 'domain' AND bucket < '2026-09-11Z'`],
    ['a group', `UPDATE scope_traffic SET scope_id = 'spring' WHERE scope = 'group' AND bucket < '2026-10-01Z'`],
    ['hosts', `UPDATE host_traffic SET p = p + 3, checksum = checksum # 7 WHERE bucket < '2026-09-11Z' AND kind = 1`],
    ['slots', 'UPDATE link_visit_slots SET visits = visits + 5 WHERE link_id = 1'],
    [
      'days',
      `UPDATE day_aggregates SET visits = visits + 1, checksum = checksum # 1 WHERE scope = 'group' AND class = 'all'`,
    ],
  ])('makes the sums of %s what the rows say before they count, whatever became of them', async (_, damage) => {
    const dayOf = (at: number) => ({ from: at - (at % DAY_MS), to: at - (at % DAY_MS) + DAY_MS });
    const addUpDays = () => spec.archive.aggregateDays({ dayOf, closedBefore: OCTOBER, nowMs: Date.now() });
    expect((await addUpDays()).failed).toEqual([]);
    await spec.drop();
    await new HostFold(spec.ledger.database).fold();
    const { affected } = await spec.ledger.database.execute(damage);
    expect(affected).toBeGreaterThan(0);
    if (damage.includes('host_traffic')) await new LedgerRebuild(spec.ledger.database).rebuildHosts();
    await restore();
    await addUpDays();
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it('is kept as long as was said, takes visits meanwhile, and is dropped again after', async () => {
    await spec.drop();
    await restore(Date.now() + DAY_MS);
    expect(await spec.drop()).toContain('is kept until');
    const late = enrichedVisit({ atMs: HOUR + 7, linkId: '1' });
    expect((await spec.commit([late, ...visits])).inserted).toEqual([late.eventId]);
    await spec.seal(OCTOBER);
    await spec.ledger.server.query(`UPDATE ledger_retention SET restored_until = now() - interval '1 minute'`);
    expect(await spec.drop()).toBeNull();
    expect(await spec.where()).toEqual({ ledger: 1, files: eventIdsOf([late, ...visits.slice(0, -1)]) });
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it('is refused while the ledger has it, when a month after it is missing, and when its files are gone', async () => {
    await expect(restore()).rejects.toThrow('The ledger has that month.');
    await spec.drop();
    await expect(spec.archive.planRestore(Date.UTC(2026, 7, 1))).rejects.toThrow('beginning with 2026-09');
    await spec.ledger.server.query(`UPDATE ledger_retention SET archived_from = '2026-10-01Z'`);
    await expect(restore()).rejects.toThrow('Its files are gone');
  });

  it('changes nothing when a file is damaged or does not hold what the buckets say', async () => {
    await spec.drop();
    const [bucket] = await spec.ledger.server.query<{ bucket: Date }>(
      'SELECT bucket FROM link_traffic ORDER BY bucket LIMIT 1',
    );
    // Two visits of one hour change places: number and checksum of the hour stay.
    await spec.ledger.server.query(`UPDATE link_traffic SET link_id = 3 - link_id WHERE bucket = $1`, [bucket?.bucket]);
    await expect(restore()).rejects.toMatchObject({ code: 'restored-month-differs' });
    expect((await spec.where()).ledger).toBe(1);
    expect(await spec.ledger.server.query(`SELECT FROM pg_class WHERE relname = 'visits_2026_09'`)).toEqual([]);
    const [file] = await spec.active();
    appendFileSync(spec.pathOf(file!), 'x');
    await expect(restore()).rejects.toMatchObject({ code: 'archive-file-damaged' });
  });

  it('leaves out what was purged since, whole buckets at first and the rest of a bucket now that it can be told', async () => {
    await spec.drop();
    const mark = SEPTEMBER + 3;
    await spec.purge('1', mark);
    await spec.purge('2', HOUR + DAY_MS);
    await expect(restore()).rejects.toMatchObject({ code: 'archive-seal-first' });
    await spec.seal(OCTOBER);
    await restore();
    expect(await spec.ledger.server.query('SELECT link_id FROM unfinished_purges ORDER BY 1')).toEqual([
      { link_id: '1' },
      { link_id: '2' },
    ]);
    // The worker's job.
    await spec.purge('1', mark);
    await spec.purge('2', HOUR + DAY_MS);
    const left = visits.filter(({ linkId, occurredAtMs }) => occurredAtMs >= (linkId === '1' ? mark : HOUR + DAY_MS));
    expect([...(await spec.ledger.eventIds('1')), ...(await spec.ledger.eventIds('2'))].sort()).toEqual(
      eventIdsOf(left),
    );
    await spec.seal(OCTOBER);
    expect(await spec.contents()).toEqual(eventIdsOf(left.slice(0, -1)));
    expect(await spec.ledger.differences()).toEqual([]);
    expect(await spec.archive.verify(OCTOBER)).toMatchObject({ differences: [], dueHours: [], purgedVisits: 0 });
  });

  it('is refused while people are erased, who would be back; also where the mark of it is older than the ledger', async () => {
    await spec.drop();
    const address = visits.slice(odd.length).find(({ ip }) => ip !== null)?.ip ?? '';
    const people = { person: 'ip' as const, hashes: [address], fromMs: SEPTEMBER, beforeMs: HOUR + 3 * DAY_MS };
    const eraser = new VisitEraser(spec.ledger.database, { hasSlots: true });
    const erasure = await eraser.mark(people);
    expect(await eraser.erase(erasure)).toBe(0);
    await new LedgerRetention(spec.ledger.database, { ledgerDays: 45 }).deleteRows(Date.now());
    const refused: unknown = await restore().catch((error: unknown) => error);
    const { failed } = await spec.archive.erasePeople(erasure, eraser.inFiles(erasure));
    await eraser.finish(erasure);
    expect(failed).toEqual([]);
    const left = visits.filter(({ ip, occurredAtMs }) => ip !== address || occurredAtMs >= people.beforeMs);
    expect(await spec.contents()).toEqual(eventIdsOf(left.slice(0, -1)));
    expect(refused).toMatchObject({ code: 'month-not-restorable', message: expect.stringContaining('erased') });
    await restore();
    expect([...(await spec.ledger.eventIds('1')), ...(await spec.ledger.eventIds('2'))].sort()).toEqual(
      eventIdsOf(left),
    );
    expect(await spec.ledger.differences()).toEqual([]);
  });

  it('lets commits go on, and a purge marked meanwhile finds the rows', async () => {
    await spec.drop();
    const [commit, later] = [await spec.ledger.consumer(), enrichedVisit({ atMs: OCTOBER + HOUR_MS, linkId: '1' })];
    let purged: Promise<void> | undefined;
    await spec.archive.restore(HOUR, {
      keepUntilMs: 0,
      onProgress: () => {
        purged ??= spec.purge('1', HOUR + DAY_MS);
      },
    });
    await commit([later]);
    await purged;
    expect((await spec.ledger.eventIds('1')).length).toBe(
      1 + visits.filter(({ linkId, occurredAtMs }) => linkId === '1' && occurredAtMs >= HOUR + DAY_MS).length,
    );
    expect(await spec.ledger.differences()).toEqual([]);
  });
});
