import { CHANNELS, CLASS_REASONS } from '@hopcount/contracts';
import { DAY_MS, HostFold, VisitPurger } from '@hopcount/ledger';
import { enrichedVisit, noLock, openLedger } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { AppError, createLogger, Reach } from '@hopcount/runtime';
import { newEventId } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Installation, LINKS, NASTY_TEXTS, OCTOBER, visitRows } from './installation.spec-helpers.js';
import { createOpenMonths } from './open-months.js';

describe('an import of visits', () => {
  let here: Installation;
  beforeEach(async () => {
    here = await Installation.open();
    expect(await here.take(LINKS)).toMatchObject({ state: 'done', created: 2 });
  });
  afterEach(() => here.close());

  it('counts each once however often it comes; of equal ones as many as there are', async () => {
    const same = '2026-09-10T10:00:00Z,a,Mozilla/5.0 (X11; Linux) Firefox/130.0,https://t.example/x';
    const file = visitRows(same, same, '2025-01-02T03:04:05Z,b,curl/8,', same, '2025-01-02T03:04:05Z,none,,', '=1,a,,');
    const first = await here.take(file);
    expect(first).toMatchObject({ state: 'done', visits: 4, existingVisits: 0, refused: 2, created: 4 });
    expect(first.reasons).toEqual({ 'unknown-link': 1, 'invalid-field': 1 });
    const counts = await here.counts();
    expect(counts).toEqual({ 'a 0': 3, 'b 1': 1 });
    expect(await here.take(file)).toMatchObject({ visits: 0, existingVisits: 4 });
    expect(await here.take(visitRows(same, same, same, same))).toMatchObject({ visits: 1, existingVisits: 3 });
    // Another installation's are others.
    expect(await here.take(LINKS, 'csv', 'other')).toMatchObject({ unchanged: 2 });
    expect(await here.take(visitRows(same), 'csv', 'other')).toMatchObject({ visits: 1 });
    expect(await here.counts()).toEqual({ 'a 0': 5, 'b 1': 1 });
    const [visit] = await here.ledger.server.query(
      `SELECT os, browser, referrer_host, visitor, imported_from, occurred_at FROM visits WHERE imported_from = 'old' ORDER BY occurred_at DESC`,
    );
    expect(visit).toEqual({
      ...{ os: 'Linux', browser: 'Firefox', referrer_host: 't.example', visitor: null, imported_from: 'old' },
      occurred_at: new Date('2026-09-10T10:00:00Z'),
    });
    expect(await here.ledger.differences()).toEqual([]);
    // No gateway made them durable, and nothing of them is left to wait for.
    expect(await here.ledger.server.query('SELECT FROM source_traffic')).toEqual([]);
    expect(await here.ledger.server.query('SELECT FROM import_identities')).toEqual([]);
  });

  it('left by a worker is taken on by the next, each visit once, by two at once as well', async () => {
    // Three of a kind, far apart in the file.
    const row = (n: number) =>
      `2026-11-0${1 + (n % 8)}T10:${String((n % 800) % 60).padStart(2, '0')}:00Z,a,agent ${n % 800},`;
    const id = await here.upload(visitRows(...Array.from({ length: 2_400 }, (_, n) => row(n))));
    const other = await Database.connect({ url: here.ledger.server.url, applicationName: 'doomed-worker' });
    const doomed = here.work(other);
    while ((await here.imports.get(Reach.everything, id)).rowsDone === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await here.ledger.server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed-worker'`,
    );
    await doomed.catch(() => undefined);
    await other.close();
    await Promise.all([here.work(), here.work()]);
    expect(await here.imports.get(Reach.everything, id)).toMatchObject({
      state: 'done',
      rowsDone: 2_400,
      visits: 2_400,
      existingVisits: 0,
    });
    expect(await here.visitsOf('a')).toBe(2_400);
    expect(await here.ledger.differences()).toEqual([]);
  });

  it('brings back months that were dropped, and leaves them to be sealed and dropped again', async () => {
    const { server, database } = here.ledger;
    const [a] = await server.query<{ id: string }>(`SELECT id FROM links WHERE code = 'a'`);
    await server.query(`SELECT create_visit_partitions('2026-08-01Z', '2026-09-02Z')`);
    const commit = await openLedger(database);
    const live = ['2026-08-05T01:00:00Z', '2026-09-05T01:00:00Z', '2026-09-05T01:20:00Z', '2026-11-01T00:00:00Z'];
    await commit(live.map((at) => enrichedVisit({ atMs: Date.parse(at), linkId: a?.id ?? '' })));
    expect(await here.drop()).toEqual([null, null]);
    const keptFrom = async () =>
      (await server.query<{ kept_from: Date }>('SELECT kept_from FROM ledger_retention'))[0]?.kept_from;
    expect(await keptFrom()).toEqual(new Date(OCTOBER));

    // Of a dropped month, of one before the first there ever was, and of today's.
    const file = visitRows(
      '2026-08-05T01:00:01Z,a,,',
      '2026-06-30T23:59:59Z,a,,',
      '2026-09-05T01:10:00Z,b,,',
      '2026-11-01T00:00:01Z,a,,',
    );
    const expectWhole = async (places: { ledger: number }) => {
      expect([await here.visitsOf('a'), await here.visitsOf('b')]).toEqual([7, 1]);
      expect(await here.ledger.differences()).toEqual([]);
      const { visits } = await here.exported('jsonl');
      expect(visits.split('\n').filter(Boolean)).toHaveLength(8);
      expect(visits.split('\n').filter((line) => line.includes('"importedFrom":"old"'))).toHaveLength(4);
      expect(await server.query('SELECT FROM visits')).toHaveLength(places.ledger);
    };
    const first = await here.take(file);
    expect(first).toMatchObject({ state: 'done', visits: 4, refused: 0, reasons: {} });
    expect(await keptFrom()).toEqual(new Date('2026-06-01Z'));
    await expectWhole({ ledger: 8 });
    // Kept for a day, then dropped as any month is.
    expect(await here.drop()).toEqual([expect.stringContaining('is kept until')]);
    await server.query(`UPDATE ledger_retention SET restored_until = now() - interval '1 minute'`);
    expect(await here.drop()).toEqual([null, null, null, null]);
    await expectWhole({ ledger: 2 });
    const verified = await here.archive.verify(OCTOBER);
    expect([verified.differences, verified.visits]).toEqual([[], 6]);
    // Once more, when only files know of them: they come back for it, and nothing changes.
    expect(await here.take(file)).toMatchObject({ visits: 0, existingVisits: 4 });
    await expectWhole({ ledger: 8 });
  });

  it('into a dropped month of which visits were purged since leaves sums by group, host and day as those that are left', async () => {
    const { server, database } = here.ledger;
    await server.query(`INSERT INTO groups (id, name) VALUES ('spring', 'Spring'), ('autumn', 'Autumn')`);
    await server.query(`UPDATE links SET group_id = 'spring' WHERE code = 'a'`);
    const september = (day: number, code: string) => `2026-09-${day}T10:00:00Z,${code},,https://t.example/${day}`;
    await here.take(visitRows(september(10, 'a'), september(11, 'a'), september(12, 'a'), september(11, 'b')));
    expect((await here.drop()).at(-1)).toBeNull();
    await server.query(`UPDATE links SET group_id = 'autumn' WHERE code = 'a'`);
    const [link] = await server.query<{ id: string }>(`SELECT id FROM links WHERE code = 'a'`);
    await new VisitPurger(database, noLock, { hasSlots: true }).purge(link!.id, { beforeMs: Date.UTC(2026, 8, 11) });
    await here.archive.seal(await here.archive.dueHours(OCTOBER, 'all'));
    expect(await here.take(visitRows(september(20, 'a'), september(21, 'b')))).toMatchObject({ visits: 2 });
    const groups = `SELECT scope_id AS group, sum(visits)::int AS visits FROM scope_traffic WHERE scope = 'group' GROUP BY 1 ORDER BY 1`;
    expect(await server.query(groups)).toEqual([
      { group: '', visits: 2 },
      { group: 'autumn', visits: 1 },
      { group: 'spring', visits: 2 },
    ]);
    await new HostFold(database).fold();
    const hosts = `SELECT name, sum(p - n)::int AS visits FROM host_totals AS totals JOIN hosts ON hosts.id = host_id
      WHERE totals.kind = 1 GROUP BY 1 HAVING sum(p - n) <> 0 ORDER BY 1`;
    expect(await server.query(hosts)).toEqual([{ name: 'example.t', visits: 5 }]);
    await here.archive.seal(await here.archive.dueHours(OCTOBER, 'all'));
    const dayOf = (at: number) => ({ from: at - (at % DAY_MS), to: at - (at % DAY_MS) + DAY_MS });
    await here.archive.aggregateDays({ dayOf, closedBefore: OCTOBER, nowMs: Date.now() });
    const days = `SELECT sum(visits)::int AS visits FROM day_aggregates WHERE scope = 'group' AND scope_id = 'spring' AND class = 'all'`;
    expect(await server.query(days)).toEqual([{ visits: 2 }]);
    expect(await here.ledger.differences()).toEqual([]);
  });

  it('says what it cannot bring back, and counts the rest', async () => {
    const { server } = here.ledger;
    await server.query(`SELECT set_kept_from('2026-09-01Z')`);
    await server.query(`UPDATE ledger_retention SET archived_from = '2026-08-01Z'`);
    const file = visitRows('2026-07-05T01:00:00Z,a,,', '2026-08-05T01:00:00Z,a,,', '2026-11-01T00:00:00Z,a,,');
    const id = await here.upload(file);
    await here.work();
    expect(await here.imports.get(Reach.everything, id)).toMatchObject({
      state: 'done',
      visits: 2,
      reasons: { 'month-not-restorable': 1 },
    });
    expect((await here.imports.remarksOf(id))[0]?.detail).toContain('ARCHIVE_DAYS');
  });

  it('brings no month back for visits of links that are not here', async () => {
    const file = visitRows('2001-01-05T01:00:00Z,nobody,,', '2002-01-05T01:00:00Z,a,,');
    expect(await here.take(file)).toMatchObject({ visits: 1, reasons: { 'unknown-link': 1 } });
    const made = (month: string) =>
      here.ledger.server.query(`SELECT FROM pg_class WHERE relname = $1`, [`visits_${month}`]);
    expect([(await made('2001_01')).length, (await made('2002_01')).length]).toEqual([0, 1]);
  });

  it('under the ids they had here brings back nothing that was purged, of whichever link', async () => {
    const at = '2026-11-02T00:00:00.000Z';
    const [purged, other] = [newEventId(Date.parse(at)), newEventId(Date.parse(at))];
    await here.ledger.server.query(
      `INSERT INTO purged_visits (occurred_at, event_id, link_id, source) VALUES ($1, $2, 77, 'gw')`,
      [at, purged],
    );
    const before = await here.ledger.differences();
    const file = ['eventId,date,shortCode', `${purged},${at},a`, `${other},${at},a`, ''].join('\n');
    expect(await here.take(file)).toMatchObject({ visits: 1, refused: 1, reasons: { 'visits-purged': 1 } });
    expect(await here.ledger.server.query('SELECT event_id FROM visits')).toEqual([{ event_id: other }]);
    expect(await here.ledger.differences()).toEqual(before);
  });

  it('asks once for a month that cannot be restored, and for those before it not at all', async () => {
    const { database, server } = here.ledger;
    await server.query(`SELECT set_kept_from('2026-09-01Z')`);
    const asked: number[] = [];
    const restore = (instant: number) => {
      asked.push(instant);
      return Promise.reject(new AppError('archive-file-damaged', 'one file'));
    };
    const logger = createLogger({ name: 'test', level: 'silent' });
    const openMonths = createOpenMonths({ database, archive: { restore }, logger, what: 'a spec' });
    const [july, august] = [Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 1)];
    const { signal } = new AbortController();
    for (const months of [[august, july], [july], [august]]) {
      const notOpen = await openMonths(months, signal);
      expect([...notOpen.values()]).toEqual(months.map(() => expect.stringContaining('2026-08 cannot be restored')));
    }
    expect(asked).toHaveLength(1);
  });

  it('that is stopped while a month comes back goes on afterwards', async () => {
    await here.ledger.server.query(`SELECT set_kept_from('2026-09-01Z')`);
    const id = await here.upload(visitRows('2026-08-05T01:00:00Z,a,,'));
    const stop = new AbortController();
    const restore = () => {
      stop.abort();
      return Promise.reject(new DOMException('stopped', 'AbortError'));
    };
    await here.work(here.ledger.database, { restore }, stop.signal);
    expect(await here.imports.get(Reach.everything, id)).toMatchObject({ state: 'running', rowsDone: 0 });
    await here.work();
    expect(await here.imports.get(Reach.everything, id)).toMatchObject({ state: 'done', visits: 1 });
  });

  it('uses no limit, is told to nobody who follows visits, and what was purged stays gone', async () => {
    const { server } = here.ledger;
    await server.query(`UPDATE visit_feed_state SET wanted_until = now() + interval '1 hour'`);
    await server.query(`UPDATE links SET max_visits = 2 WHERE code = 'a'`);
    await server.query(`UPDATE links SET purged_before = '2026-11-02Z' WHERE code = 'b'`);
    const file = visitRows(
      ...[1, 2, 3].flatMap((day) => [`2026-11-0${day}T00:00:00Z,a,,`, `2026-11-0${day}T00:00:00Z,b,,`]),
    );
    expect(await here.take(file)).toMatchObject({ visits: 5, refused: 1, reasons: { 'visits-purged': 1 } });
    expect(await server.query(`SELECT used::int, apart::int FROM link_limits`)).toEqual([{ used: 0, apart: 3 }]);
    expect(await here.ledger.differences()).toEqual([]);
    expect(await server.query('SELECT FROM purged_visits')).toEqual([]);
    expect(await server.query('SELECT FROM visit_feed')).toEqual([]);
    await (
      await openLedger(here.ledger.database)
    )([enrichedVisit()]);
    expect(await server.query('SELECT FROM visit_feed')).toHaveLength(1);
  });
});

describe('an import of links with a limit', () => {
  it('goes on with it where they were: the visits they had are used, their history uses no more', async () => {
    const here = await Installation.open();
    const file =
      'longUrl,shortCode,maxVisits,visits\nhttps://a.example/,a,100,98\nhttps://b.example/,b,3,\nhttps://c.example/,c,2,7\n';
    expect(await here.take(file)).toMatchObject({ created: 3, reasons: { 'limit-from-nothing': 1 } });
    expect(await here.take(file)).toMatchObject({ created: 0, unchanged: 3 });
    const limits = () =>
      here.ledger.server.query(
        'SELECT code, max_uses, used::int FROM link_limits JOIN links ON links.id = link_id ORDER BY code',
      );
    const expected = [
      { code: 'a', max_uses: 100, used: 98 },
      { code: 'b', max_uses: 3, used: 0 },
      { code: 'c', max_uses: 2, used: 7 },
    ];
    expect(await limits()).toEqual(expected);
    const history = visitRows('2026-11-01T00:00:00Z,a,,', '2026-11-01T00:00:00Z,b,,');
    expect(await here.take(history)).toMatchObject({ visits: 2 });
    expect(await limits()).toEqual(expected);
    expect(await here.ledger.differences()).toEqual([]);
    // A visit of our own is one more.
    const [a] = await here.ledger.server.query<{ id: string }>(`SELECT id FROM links WHERE code = 'a'`);
    await (
      await openLedger(here.ledger.database)
    )([enrichedVisit({ linkId: a?.id ?? '' })]);
    expect((await limits())[0]).toEqual({ code: 'a', max_uses: 100, used: 99 });
    expect(await here.ledger.differences()).toEqual([]);
    await here.close();
  });
});

describe('an export of links and visits', () => {
  it.each([
    ['jsonl', 'hopcount'],
    ['csv', 'csv'],
  ] as const)(
    'as %s imported into an empty installation has the same counts, and imported here changes nothing',
    async (format, source) => {
      const [here, there] = [await Installation.open(), await Installation.open()];
      await here.take(LINKS);
      const links = await here.ledger.server.query<{ id: string }>('SELECT id FROM links ORDER BY code');
      const commit = await openLedger(here.ledger.database);
      const classes = ['human', 'bot', 'preview', 'prefetch', 'opted-out'] as const;
      const nasty = (n: number, field: number) => NASTY_TEXTS[(n * 7 + field) % NASTY_TEXTS.length] ?? '';
      const visits = Array.from({ length: 40 }, (_, n) =>
        enrichedVisit({
          ...{ userAgent: nasty(n, 0), destination: nasty(n, 1), region: nasty(n, 2) },
          ...{ network: nasty(n, 3), osVersion: '10.15', browserVersion: '131', route: 'rule:1' },
          ...{ channel: CHANNELS[n % 7] ?? 'other', classReason: CLASS_REASONS[n % 9] ?? 'person' },
          utm: {
            source: nasty(n, 4),
            medium: n % 2 === 0 ? null : nasty(n, 5),
            ...{ campaign: 'spring', term: null, content: null },
          },
          ...{
            atMs: Date.UTC(2026, 10, 1 + (n % 3)),
            linkId: links[n % 2]?.id ?? '',
            class: classes[n % 5] ?? 'human',
          },
          ...{ referrer: nasty(n, 6), country: 'FR', city: 'Paris', browser: 'Safari' },
          ...{ device: 'mobile', latitude: 48.5, longitude: 2 },
        }),
      );
      await commit(visits);
      const text = await here.exported(format);
      await there.take(text.links, source, 'there');
      expect(await there.take(text.visits, source, 'there')).toMatchObject({ visits: 40, refused: 0, reasons: {} });
      expect(await there.counts()).toEqual(await here.counts());
      const rows = (at: Installation) =>
        at.ledger.server.query(
          `SELECT event_id, class, class_reason, country, region, city, os, os_version, browser, browser_version, device, network, referrer,
            referrer_host, language, latitude, destination, user_agent, channel, route, utm FROM visits ORDER BY event_id`,
        );
      expect(await rows(there)).toEqual(await rows(here));
      // Byte for byte, but for where it was imported.
      const again = (await there.exported(format)).visits.replaceAll('"importedFrom":"there"', '"importedFrom":null');
      expect(again.replaceAll(',there,', ',,')).toBe(text.visits);
      expect(await there.ledger.differences()).toEqual([]);
      const before = await here.counts();
      expect(await here.take(text.visits, source, 'old')).toMatchObject({ visits: 0, existingVisits: 40 });
      expect(await here.counts()).toEqual(before);
      await Promise.all([here.close(), there.close()]);
    },
    60_000,
  );
});
