import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { EVERYBODY } from '@hopcount/archive';
import { BUCKET_MS, bucketOf, DAY_MS, type EnrichedVisit, HOUR_MS, hourOf, VisitPurger } from '@hopcount/ledger';
import {
  bruteForce,
  bruteForceSeries,
  Ledger,
  noLock,
  randomHistory,
  randomSource,
} from '@hopcount/ledger/spec-helpers';
import { Reach } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ReadArchive } from '../archive.spec-helpers.js';
import { VisitsProof } from '../scopes/visits-proof.js';

const LINK = '77';
const FROM = Date.parse('2026-05-10T00:00:00Z');
const SPAN = { from: FROM, to: FROM + 2 * DAY_MS };
const QUERY = { linkId: LINK, ...SPAN, timeZone: 'Asia/Kolkata', interval: 'day' as const };

describe('the statistics of a link in files', () => {
  let ledger: Ledger;
  let files: ReadArchive;
  let visits: EnrichedVisit[];

  beforeEach(async () => {
    ledger = await Ledger.open();
    await ledger.addLink(LINK);
    files = new ReadArchive(ledger.database);
    visits = randomHistory(randomSource(3), LINK, { ...SPAN, hoursApart: 3 }, 300);
    await (
      await ledger.consumer()
    )(visits);
    await files.seal(SPAN.to);
  });
  afterEach(async () => {
    await files.close();
    await ledger.close();
  });

  /** As retention does. */
  const dropMonth = async () => {
    await ledger.server.query('DELETE FROM visits WHERE link_id = $1', [LINK]);
    await ledger.server.query('INSERT INTO ledger_retention (kept_from) VALUES ($1)', ['2026-06-01T00:00:00Z']);
  };
  const paths = () =>
    readdirSync(files.root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.parquet'))
      .map((path) => join(files.root, path))
      .sort();
  const flip = (path: string) => {
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
  };
  /** As when a volume is not mounted. */
  const unmount = () => {
    renameSync(files.root, `${files.root}.away`);
    mkdirSync(files.root);
  };
  const mount = () => {
    rmSync(files.root, { recursive: true });
    renameSync(`${files.root}.away`, files.root);
  };

  async function expectExact(expected: readonly EnrichedVisit[], range = SPAN) {
    const answer = await files.reader.read({ ...QUERY, ...range });
    const { dimensions, ...totals } = bruteForce(expected, range.from, range.to);
    expect([answer.exact, answer.inexact]).toEqual([true, []]);
    expect([answer.totals, answer.dimensions]).toEqual([totals, dimensions]);
    const starts = answer.series.map((point) => Date.parse(point.start));
    const series = answer.series.map(({ visits: count, visitors, ips }) => ({ visits: count, visitors, ips }));
    expect(series).toEqual(bruteForceSeries(expected, starts, range.to));
    return answer.readFrom;
  }

  it('are exact once the ledger has dropped the month, at any millisecond', async () => {
    await dropMonth();
    expect(await expectExact(visits)).toEqual({ archivedVisits: 300, hourFolds: 0, ledgerVisits: 0 });
    const [first, last] = [visits[40]!.occurredAtMs, visits[90]!.occurredAtMs].sort((a, b) => a - b);
    await expectExact(visits, { from: first!, to: last! });
    await expectExact(visits, { from: first! + 1, to: last! + 1 });
  });

  it('of all time are those of files, of the ledger and of no purged visit, from the day of the first one', async () => {
    const nextDay = (instant: number) => bruteDay(instant) + DAY_MS;
    const expectAllTime = async (expected: readonly EnrichedVisit[], first: number, last = Date.now()) => {
      const query = { linkId: LINK, timeZone: 'Asia/Kolkata', interval: 'month', period: 'allTime' } as const;
      const { range, ...answer } = await files.reader.read(query);
      const { dimensions, ...totals } = bruteForce(expected, -Infinity, Infinity);
      expect([answer.exact, answer.totals, answer.dimensions]).toEqual([true, totals, dimensions]);
      expect(range).toEqual({ from: bruteDay(first), to: nextDay(last) });
      const starts = answer.series.map((point) => Date.parse(point.start));
      const series = answer.series.map(({ visits: count, visitors, ips }) => ({ visits: count, visitors, ips }));
      expect(series).toEqual(bruteForceSeries(expected, starts, range.to));
    };
    await dropMonth();
    await expectAllTime(visits, SPAN.from);
    const consume = await ledger.consumer();
    const [newest, latest] = [SPAN.from + 40 * DAY_MS, Date.now() + DAY_MS];
    const newer = randomHistory(randomSource(5), LINK, { from: newest, to: newest + DAY_MS, hoursApart: 3 }, 60);
    // Of a clock that is ahead.
    const ahead = randomHistory(randomSource(6), LINK, { from: latest, to: latest + HOUR_MS, hoursApart: 1 }, 5);
    await consume([...newer, ...ahead]);
    const all = [...visits, ...newer, ...ahead];
    expect(new Set(all.map(({ visitor }) => visitor)).size).toBeLessThan(all.length / 3);
    await expectAllTime(all, SPAN.from, latest);
    const before = FROM + DAY_MS + 90 * 60_000;
    await new VisitPurger(ledger.database, noLock, { hasSlots: true }).purge(LINK, { beforeMs: before });
    const left = all.filter(({ occurredAtMs }) => occurredAtMs >= before);
    await expectAllTime(left, Math.min(...left.map(({ occurredAtMs }) => occurredAtMs)), latest);
  });

  it('are those of the ledger in hours to which visits came after they were sealed', async () => {
    const late = randomHistory(
      randomSource(4),
      LINK,
      { from: FROM + DAY_MS, to: FROM + DAY_MS + 6 * HOUR_MS, hoursApart: 3 },
      20,
    );
    await (
      await ledger.consumer()
    )(late);
    const { archivedVisits, ledgerVisits } = await expectExact([...visits, ...late]);
    expect(archivedVisits + ledgerVisits).toBe(320);
    expect(ledgerVisits).toBeGreaterThan(20);
  });

  it('lose purged visits at once, also those of a dropped month, before any file is written anew', async () => {
    const before = FROM + DAY_MS + 90 * 60_000;
    const later = visits.filter(({ occurredAtMs }) => occurredAtMs >= before);
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true });
    await purger.purge(LINK, { beforeMs: before });
    expect((await expectExact(later)).archivedVisits).toBe(later.length);
    await dropMonth();
    await expectExact(later);
    // Nobody can tell any more which visits of a bucket that it cuts in two the numbers would lose: all of them stay.
    const cut = later.map(({ occurredAtMs }) => occurredAtMs + 1).find((at) => at % BUCKET_MS > 1)!;
    await purger.purge(LINK, { beforeMs: cut });
    await expectExact(later.filter(({ occurredAtMs }) => occurredAtMs >= bucketOf(cut)));
    await purger.purge(LINK, { beforeMs: SPAN.to });
    await expectExact([]);
  });

  it('have no visit of a purge under way from files, and are named inexact: buckets still count them', async () => {
    const before = FROM + DAY_MS + 90 * 60_000;
    const later = visits.filter(({ occurredAtMs }) => occurredAtMs >= before);
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true });
    await ledger.database.transaction((tx) => purger.mark(tx, LINK, { beforeMs: before }));
    await dropMonth();
    const answer = await files.reader.read(QUERY);
    const { dimensions, visitors, ips } = bruteForce(later, SPAN.from, SPAN.to);
    expect([answer.exact, answer.readFrom.archivedVisits]).toEqual([false, later.length]);
    expect(answer).toMatchObject({ dimensions, totals: { visitors, ips } });
  });

  it('are those of the ledger where a file is damaged, also since it was first opened', async () => {
    const [damaged, torn] = paths();
    const inFiles = (await expectExact(visits)).archivedVisits;
    await files.restart();
    flip(damaged!);
    const { archivedVisits, ledgerVisits } = await expectExact(visits);
    expect([inFiles, archivedVisits + ledgerVisits]).toEqual([300, 300]);
    expect(ledgerVisits).toBeGreaterThan(0);
    truncateSync(torn!, 100);
    expect((await expectExact(visits)).ledgerVisits).toBeGreaterThan(ledgerVisits);
    // Out of use everywhere: no scrub has to find them first.
    expect(await ledger.server.query(`SELECT count(*)::int AS n FROM archive_files WHERE state = 'damaged'`)).toEqual([
      { n: 2 },
    ]);
  });

  it('never have a number of a file that was written to since this process opened it, whichever byte changed', async () => {
    await dropMonth();
    await expectExact(visits);
    const [path] = paths();
    const sealed = readFileSync(path!);
    const expected = await files.reader.read(QUERY);
    for (let at = 4; at < sealed.length; at += Math.ceil(sealed.length / 40)) {
      const bytes = Buffer.from(sealed);
      bytes[at]! ^= 1;
      writeFileSync(path!, bytes);
      const answer = await files.reader.read(QUERY);
      expect([at, answer.exact, answer.inexact.length > 0]).toEqual([at, false, true]);
      writeFileSync(path!, sealed);
      await files.archive.scrub(Date.now());
      expect(await files.reader.read(QUERY)).toEqual(expected);
    }
  });

  it('have no number of a file that is written to while it is read', async () => {
    await dropMonth();
    const [path] = paths();
    const asked: boolean[] = [];
    const question = { of: EVERYBODY, ...SPAN };
    await ledger.database.transaction(
      (tx) =>
        files.files.visits(tx, question, async ({ files: found, unknown }) => {
          asked.push(unknown.length > 0);
          if (asked.length === 1) flip(path!);
          return found?.sum([], undefined);
        }),
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
    expect(asked).toEqual([false, true]);
  });

  it('are those of the ledger as soon as a verification elsewhere has found damage, as long as the ledger has them', async () => {
    await expectExact(visits);
    const [path] = paths();
    flip(path!);
    await files.archive.verify(SPAN.to);
    flip(path!);
    expect((await expectExact(visits)).ledgerVisits).toBeGreaterThan(0);
  });

  it('are proved again without a file that is damaged, once the proof did not agree', async () => {
    await dropMonth();
    const proof = new VisitsProof(ledger.database, files.files);
    const question = { scope: { of: 'all' as const }, ...SPAN, filters: [], reach: Reach.everything };
    const agrees = async () => {
      const { rows, buckets } = await proof.read(question);
      return isDeepStrictEqual(rows, buckets);
    };
    expect(await agrees()).toBe(true);
    const damaged = () => ledger.server.query(`SELECT FROM archive_files WHERE state = 'damaged'`);
    await ledger.server.query(
      `UPDATE scope_traffic SET checksum = checksum # 1 WHERE ctid = (SELECT ctid FROM scope_traffic WHERE scope = 'all' LIMIT 1)`,
    );
    expect([await agrees(), await damaged()]).toEqual([false, []]);
    await ledger.server.query(`UPDATE archive_files SET sha256 = sha256('another')
      WHERE id = (SELECT id FROM archive_files ORDER BY period_start LIMIT 1)`);
    await agrees();
    expect(await damaged()).toHaveLength(1);
  });

  it('say where nobody has them any more; visits stay exact', async () => {
    await dropMonth();
    const [first] = await ledger.server.query<{ path: string; period_start: Date; period_end: Date }>(
      'SELECT path, period_start, period_end FROM archive_files ORDER BY period_start LIMIT 1',
    );
    rmSync(join(files.root, first!.path));
    const [from, to] = [first!.period_start.getTime(), first!.period_end.getTime()];
    const isLost = ({ occurredAtMs }: EnrichedVisit) => occurredAtMs >= from && occurredAtMs < to;
    const answer = await files.reader.read(QUERY);
    const left = visits.filter((visit) => !isLost(visit));
    const { dimensions, ...totals } = bruteForce(left, SPAN.from, SPAN.to);
    expect(answer).toMatchObject({
      exact: false,
      totals: { visits: 300, visitors: totals.visitors, ips: totals.ips },
      dimensions,
    });
    const hours = new Set(visits.filter(isLost).map(({ occurredAtMs }) => hourOf(occurredAtMs)));
    const named = answer.inexact.flatMap(({ startDate, endDate }) =>
      hoursIn(Date.parse(startDate), Date.parse(endDate)),
    );
    expect(new Set(named)).toEqual(hours);
    await expectExact(visits, { from: to, to: SPAN.to });
  });

  it('are those of the ledger while the folder is not mounted, and cannot be had where only files know', async () => {
    unmount();
    expect(await expectExact(visits)).toMatchObject({ archivedVisits: 0, ledgerVisits: 300 });
    await dropMonth();
    await expect(files.reader.read(QUERY)).rejects.toMatchObject({ code: 'archive-unreadable', retryable: true });
    mount();
    await expectExact(visits);
  });

  it('end with a reason when they take too long, and the next question is answered', async () => {
    const hasty = new ReadArchive(ledger.database, { timeoutMs: 0 });
    await dropMonth();
    rmSync(hasty.root, { recursive: true });
    renameSync(files.root, hasty.root);
    await expect(hasty.reader.read(QUERY)).rejects.toMatchObject({ code: 'archive-question-too-large' });
    renameSync(hasty.root, files.root);
    mkdirSync(hasty.root);
    await hasty.close();
    await expectExact(visits);
  });
});

function hoursIn(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / HOUR_MS }, (_, n) => from + n * HOUR_MS);
}

/** Of India, which has one offset. */
function bruteDay(instant: number): number {
  const offsetMs = 5.5 * HOUR_MS;
  return Math.floor((instant + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}
