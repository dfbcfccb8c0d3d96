import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import { CLASS_REASONS, VISIT_CLASSES } from '@hopcount/contracts';
import { type EnrichedVisit, HOUR_MS, StatisticsVerifier, VisitCommitter, VisitRelabeler } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { createLabelRules } from '@hopcount/links/visitors';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';
import { Terminal } from '../output/terminal.js';
import { planRelabel } from '../relabel/plan-relabel.js';

const SEALED = Date.parse('2026-09-10T10:00:00Z');
const OPEN = Date.parse('2026-09-11T10:00:00Z');
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const NOBODY = { visitor: null, ip: null };

interface Case {
  /** As the rules of its time labelled it. */
  given: Partial<EnrichedVisit>;
  isImported?: boolean;
  /** From before there were reasons and channels. */
  isOld?: boolean;
  expected: Pick<EnrichedVisit, 'class' | 'classReason' | 'channel'>;
}

const CASES: Case[] = [
  {
    given: { userAgent: GOOGLEBOT },
    isOld: true,
    expected: { class: 'bot', classReason: 'known-bot', channel: 'direct' },
  },
  {
    given: { userAgent: FIREFOX, class: 'bot', classReason: 'known-bot', referrer: 'https://www.google.com/' },
    expected: { class: 'human', classReason: 'person', channel: 'search' },
  },
  {
    given: { userAgent: FIREFOX, class: 'bot', classReason: 'known-bot', ...NOBODY },
    expected: { class: 'opted-out', classReason: 'do-not-track', channel: 'direct' },
  },
  {
    given: { userAgent: FIREFOX, class: 'opted-out', classReason: 'do-not-track', ...NOBODY, utm: { medium: 'cpc' } },
    expected: { class: 'opted-out', classReason: 'do-not-track', channel: 'paid' },
  },
  {
    given: { userAgent: GOOGLEBOT, class: 'prefetch', classReason: 'prefetch-header' },
    expected: { class: 'prefetch', classReason: 'prefetch-header', channel: 'direct' },
  },
  {
    given: { userAgent: GOOGLEBOT, ...NOBODY, classReason: 'imported', utm: { medium: 'cpc' } },
    isImported: true,
    // Our own exports say the campaign.
    expected: { class: 'human', classReason: 'imported', channel: 'paid' },
  },
  {
    given: { userAgent: FIREFOX, class: 'bot', classReason: 'known-bot', ...NOBODY },
    isImported: true,
    expected: { class: 'human', classReason: 'person', channel: 'direct' },
  },
  {
    given: { userAgent: FIREFOX, referrer: 'https://s.test/other' },
    isOld: true,
    expected: { class: 'human', classReason: 'person', channel: 'internal' },
  },
  {
    given: { userAgent: FIREFOX },
    expected: { class: 'human', classReason: 'person', channel: 'direct' },
  },
];

const hostOf = (referrer: string | null | undefined) =>
  referrer == null ? 'direct' : new URL(referrer).hostname.replace(/^www\./, '');

describe('relabel', () => {
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let archive: Archive;
  let hopcount: ReturnType<typeof cliOn>;
  /** Each case once in a file and the ledger, once in the ledger. */
  let visits: { eventId: string; expected: Case['expected'] }[];

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    root = mkdtempSync(join(tmpdir(), 'cli-relabel-'));
    archive = new Archive(database, { root, memoryMb: 256 });
    hopcount = cliOn(server, { ARCHIVE_URL: root });
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT 1001, id, 'a', 'https://example.com/' FROM domains`,
    );
    const given = [SEALED, OPEN].flatMap((atMs) =>
      CASES.map((one) => ({
        one,
        visit: enrichedVisit({ atMs, ...one.given, referrerHost: hostOf(one.given.referrer) }),
      })),
    );
    visits = given.map(({ one, visit }) => ({ eventId: visit.eventId, expected: one.expected }));
    const own = given.filter(({ one }) => one.isImported !== true).map(({ visit }) => visit);
    await (
      await openLedger(database)
    )(own);
    const others = given.filter(({ visit }) => !own.includes(visit)).map(({ visit }) => visit);
    const committer = new VisitCommitter(database, { slots: 4 });
    await database.transaction((tx) => committer.addImported(tx, others, 'old.example'));
    for (const { one, visit } of given) {
      if (one.isOld === true)
        await server.query('UPDATE visits SET class_reason = NULL, channel = NULL WHERE event_id = $1', [
          visit.eventId,
        ]);
    }
    await archive.seal(await archive.dueHours(SEALED + HOUR_MS, 'all'));
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  const RANGE = ['--from', '2026-09-01T00:00:00Z', '--to', '2026-10-01T00:00:00Z', '-o', 'json'];
  const relabel = async (...argv: string[]) => {
    const { code, stdout, stderr } = await hopcount(['relabel', ...RANGE, ...argv]);
    return { code, stderr, json: JSON.parse(stdout || 'null') as unknown };
  };
  const labels = async () => {
    const rows = await server.query<{ id: string; class: number; reason: number | null; channel: string | null }>(
      'SELECT event_id AS id, class, class_reason AS reason, channel FROM visits',
    );
    return new Map(rows.map(({ id, ...row }) => [id, row]));
  };
  const buckets = () =>
    server.query(
      `SELECT bucket, sum(visits)::int AS visits, bit_xor(checksum)::text AS checksum FROM link_traffic GROUP BY 1 ORDER BY 1`,
    );
  const active = () => archive.manifest.files({ from: 0, to: Date.UTC(9999, 0) });

  it('says what would change, and changes nothing', async () => {
    const before = await labels();
    const { code, json, stderr } = await relabel();
    expect([code, json]).toEqual([
      0,
      { visitsRead: 18, changing: 14, 'bot → human': 4, 'bot → opted-out': 2, 'human → bot': 2 },
    ]);
    expect(stderr).toContain('Nothing was changed');
    expect(await labels()).toEqual(before);
    expect(await server.query('SELECT FROM operator_actions')).toEqual([]);
  });

  it('says before anything changes that a range is too large for one run, and what is left of it in a shorter one', async () => {
    const written: string[] = [];
    const write = (text: string | Uint8Array) => written.push(String(text));
    const context = {
      config: () => ({}) as never,
      terminal: new Terminal({ write }, { write }, { color: false }),
      exitWith: () => undefined,
    };
    const rules = createLabelRules();
    const relabeler = new VisitRelabeler(database, rules, { hasSlots: true, mostChanges: 11 });
    const plan = (from: number, to: number) =>
      planRelabel({ context, database, relabeler, archive, rules }, { from, to, output: 'json' });
    const tooLarge = { code: 'relabel-too-large', message: expect.stringContaining('give a shorter range') };
    await expect(plan(SEALED, OPEN + HOUR_MS)).rejects.toMatchObject(tooLarge);
    expect(written.splice(0).join('')).toMatch(/"changing":\s*14\b/);
    for (const day of [SEALED, OPEN]) await plan(day, day + HOUR_MS);
    expect(written.join('').match(/It would label 7 visits anew/g)).toHaveLength(2);
    expect(await server.query('SELECT FROM relabels')).toEqual([]);
  });

  it('gives each visit the labels of today, in the ledger and in files; none comes or goes, and a row says who did it', async () => {
    const before = await buckets();
    const [file] = await active();
    const { code, json } = await relabel('--execute');
    expect([code, json]).toMatchObject([0, { visitsRead: 18, files: 1, changedClass: 8 }]);
    const found = await labels();
    for (const { eventId, expected } of visits) {
      expect(found.get(eventId)).toEqual({
        class: VISIT_CLASSES.indexOf(expected.class),
        reason: CLASS_REASONS.indexOf(expected.classReason),
        channel: expected.channel,
      });
    }
    expect(await buckets()).toEqual(before);
    const files = await active();
    expect([files.length, files[0]!.id === file!.id, files[0]!.visits]).toEqual([1, false, CASES.length]);
    expect((await new StatisticsVerifier(database).verify({ slots: 'on', archived: true })).differences).toEqual([]);
    expect(await archive.verify(OPEN)).toMatchObject({ differences: [], dueHours: [] });
    expect(await server.query('SELECT command, operator, outcome, counts FROM operator_actions')).toMatchObject([
      { command: 'relabel', operator: 'spec', outcome: 'done', counts: { changedClass: 8 } },
    ]);
  });

  it('has nothing to do a second time: the rows that files have agree with the ledger', async () => {
    expect((await relabel()).json).toEqual({ visitsRead: 18, changing: 0 });
    expect((await relabel('--execute')).json).toMatchObject({ files: 0, changedClass: 0 });
    // Of files alone, as once the month is dropped.
    await server.query(`INSERT INTO ledger_retention (kept_from) VALUES ('2026-09-11Z')`);
    await server.query(`DELETE FROM visits WHERE occurred_at < '2026-09-11Z'`);
    expect((await relabel()).json).toEqual({ visitsRead: 18, changing: 0 });
    expect((await relabel('--execute', '--start-over')).json).toMatchObject({ files: 0, changedClass: 0 });
  });

  it('takes a range that ends after it begins', async () => {
    const wrong = ['relabel', '--from', '2026-10-01T00:00:00Z', '--to', '2026-09-01T00:00:00Z'];
    expect(await hopcount(wrong)).toMatchObject({ code: 2, stdout: '' });
    expect((await hopcount(['relabel', '--from', '2026-10-01T00:00:00Z'])).code).toBe(2);
    expect((await hopcount(['relabel', '--range', 'lastMonth'])).code).toBe(0);
  });
});
