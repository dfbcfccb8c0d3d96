import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive, closedBefore } from '@hopcount/archive';
import {
  type ExportedVisit,
  linkStatisticsSchema,
  shortUrlListSchema,
  tagStatsListSchema,
  VISIT_CLASSES,
  type VisitClass,
  visitListSchema,
  visitsDimensionSchema,
  visitsOverviewSchema,
  type VisitsSummary,
  visitsTotalsSchema,
} from '@hopcount/contracts';
import {
  DAY_MS,
  type EnrichedVisit,
  HOUR_MS,
  type LabelRules,
  LedgerRetention,
  LinkTotals,
  StatisticsVerifier,
  VisitEraser,
  VisitRelabeler,
} from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import type { Transaction } from '@hopcount/postgres';
import { createHashVisitor, KeyPeriods, keyRotations } from '@hopcount/runtime';
import { dayOf } from '@hopcount/statistics';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

const SEPTEMBER = Date.parse('2026-09-03T10:00:00Z');
const OCTOBER = Date.parse('2026-10-01T00:00:00Z');
const RANGE = 'startDate=2026-09-01&endDate=2026-10-31';
/** Four people: of eight numbers, since they come in both months. */
const ROTATED = '2026-10-01';
const hashVisitor = createHashVisitor({
  hashing: 'a secret for tests that is long enough',
  keyPeriods: new KeyPeriods(keyRotations.parse(ROTATED)),
});
const RELABELLED: Partial<Record<VisitClass, VisitClass>> = { human: 'bot', bot: 'human', preview: 'opted-out' };
const BOTS = ['bot', 'preview', 'prefetch'];
/** `gone` lies in the recycle bin: it cannot be asked for alone, and its visits stay those of its tags and of all. */
const LINKS = [
  { code: 'one', domain: null, tags: ['warm'] },
  { code: 'two', domain: 'o.test', tags: ['warm', 'cold'] },
  { code: 'three', domain: null, tags: ['cold'] },
  { code: 'gone', domain: null, tags: ['cold'] },
];
type Link = (typeof LINKS)[number];

interface Scope {
  name: string;
  holds: (link: Link) => boolean;
  /** What names it in the query of statistics, and the Shlink-shaped list of its visits. */
  asked: string;
  list: string;
  link?: Link;
}

const domainOf = ({ domain }: Link) => (domain === null ? '' : `domain=${domain}`);
const SCOPES: Scope[] = [
  { name: 'all', holds: () => true, asked: '', list: 'visits/non-orphan?' },
  ...LINKS.filter(({ code }) => code !== 'gone').map((link) => ({
    name: link.code,
    holds: (other: Link) => other === link,
    asked: `&shortCode=${link.code}&${domainOf(link)}`,
    list: `short-urls/${link.code}/visits?${domainOf(link)}`,
    link,
  })),
  ...['warm', 'cold'].map((tag) => ({
    name: tag,
    holds: ({ tags }: Link) => tags.includes(tag),
    asked: `&tag=${tag}`,
    list: `tags/${tag}/visits?`,
  })),
];

/** By hand. */
function summaryOf(visits: readonly { class: string }[]): VisitsSummary {
  const bots = visits.filter((visit) => BOTS.includes(visit.class)).length;
  return { total: visits.length, nonBots: visits.length - bots, bots };
}

/** Of what statistics answer. */
function summaryOfTotals({ visits, byClass }: { visits: number; byClass: Record<string, number> }): VisitsSummary {
  const bots = BOTS.reduce((sum, name) => sum + (byClass[name] ?? 0), 0);
  const all = Object.values(byClass).reduce((sum, count) => sum + count, 0);
  return { total: visits, nonBots: all - bots, bots };
}

describe('numbers of statistics, exports, lists, summaries and verify', () => {
  let api: TestApi;
  let root: string;
  let archive: Archive;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const linkOf = new Map<string, Link>();
  let committed: EnrichedVisit[];
  /** Brute force: those that were committed and did not go. */
  let left: EnrichedVisit[];
  let keptFrom = 0;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'numbers-agree-'));
    api = await TestApi.start({ ARCHIVE_URL: root, HASH_KEY_ROTATIONS: ROTATED });
    archive = new Archive(api.resources.database, { root, memoryMb: 256 });
    await api.database.query(`SELECT create_visit_partitions('2026-09-01Z', '2026-10-02Z')`);
    for (const { code, domain, tags } of LINKS) {
      const where = domain === null ? {} : { domain };
      const { body } = await api.create({ longUrl: 'https://example.com/', customSlug: code, ...where, tags });
      linkOf.set(
        body['id'] as string,
        LINKS.find((link) => link.code === code)!,
      );
    }
    commit = await openLedger(api.resources.database);
    // Of each link another number, of all classes, by five visitors, over some hours of two days of each month.
    committed = [SEPTEMBER, OCTOBER].flatMap((month) =>
      [...linkOf.keys()].flatMap((linkId, nth) =>
        Array.from({ length: 11 + 5 * nth }, (_, n) => {
          const of = VISIT_CLASSES[(n + nth) % VISIT_CLASSES.length]!;
          const atMs = month + (n % 2) * DAY_MS + n * 7 * 60_000;
          const visitor = of === 'opted-out' ? null : hashVisitor(String((n * 3 + nth) % 4), atMs);
          return enrichedVisit({ linkId, atMs, class: of, visitor });
        }),
      ),
    );
    left = committed;
    await commit(committed);
    expect((await api.request('DELETE', '/rest/v3/short-urls/gone')).status).toBe(204);
  });
  afterAll(async () => {
    await api.stop();
    rmSync(root, { recursive: true });
  });

  const get = async <Body>(path: string, schema: { parse: (body: unknown) => Body }): Promise<Body> => {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    return schema.parse(body);
  };

  async function exported(): Promise<ExportedVisit[]> {
    const { body } = await api.get('exports/visits?format=csv');
    const csv = (body['text'] as string).split('\n').length - 2;
    const response = await fetch(`${api.url}/rest/v3/exports/visits?format=jsonl`, {
      headers: { 'x-api-key': api.apiKey },
    });
    const lines = (await response.text()).split('\n').filter(Boolean);
    expect([response.status, csv]).toEqual([200, lines.length]);
    return lines.map((line) => JSON.parse(line) as ExportedVisit);
  }

  /** All-time summaries by the names of scopes. */
  async function summaries(): Promise<Map<string, VisitsSummary>> {
    // As the worker does, about once a second.
    while (!(await new LinkTotals(api.resources.database).refresh()).complete);
    const { visits } = await get('visits', visitsOverviewSchema);
    const { shortUrls } = await get('short-urls?itemsPerPage=-1', shortUrlListSchema);
    const { tags } = await get('tags/stats', tagStatsListSchema);
    return new Map([
      ['all', visits.nonOrphanVisits],
      ...shortUrls.data.map(({ shortCode, visitsSummary }) => [shortCode, visitsSummary] as const),
      ...tags.data.map(({ tag, visitsSummary }) => [tag, visitsSummary] as const),
    ]);
  }

  /** What each way to ask says of one scope. */
  async function ask({ asked, list, link }: Scope) {
    const counted = await get(`statistics/totals?${RANGE}${asked}`, visitsTotalsSchema);
    const summed = await get(`statistics/totals?${RANGE}${asked}&uniques=none`, visitsTotalsSchema);
    const page = (await get(list, visitListSchema)).visits;
    const people = (await get(`${list}&excludeBots=1&itemsPerPage=1`, visitListSchema)).visits;
    const { totalItems: total } = page.pagination;
    const { totalItems: nonBots } = people.pagination;
    const ways: Record<string, VisitsSummary> = {
      'statistics, visits counted': summaryOfTotals(counted.totals),
      'statistics, sums': summaryOfTotals(summed.totals),
      'total of the list': { total, nonBots, bots: total - nonBots },
      'rows of the list': summaryOf(page.data.map(({ potentialBot }) => ({ class: potentialBot ? 'bot' : 'human' }))),
    };
    if (link !== undefined) {
      const path = `short-urls/${link.code}/stats?${RANGE}&${domainOf(link)}`;
      ways['view of the link'] = summaryOfTotals((await get(path, linkStatisticsSchema)).totals);
    }
    const first = await get(`statistics/dimensions/firstSeen?${RANGE}${asked}`, visitsDimensionSchema);
    const fresh = first.values.data.find(({ value }) => value === 'new')?.visits ?? 0;
    expect([counted.keyRotations, first.keyRotations]).toEqual([[`${ROTATED}T00:00:00+00:00`], counted.keyRotations]);
    return { ways, visitors: [counted.totals.visitors, fresh], exact: [counted.exact, summed.exact] };
  }

  /** As `hopcount verify` does. */
  async function verify() {
    const ledger = await new StatisticsVerifier(api.resources.database).verify({ slots: 'on', archived: true });
    const files = await archive.verify(closedBefore(Date.now(), HOUR_MS));
    const { visits } = ledger.checked;
    return { differences: [...ledger.differences, ...files.differences], skipped: ledger.skipped, visits };
  }

  /** Holds every number against a count of the visits that are left: after whatever became of them. */
  async function expectAgreement(): Promise<void> {
    const lines = await exported();
    expect(lines.map(({ eventId }) => eventId).sort()).toEqual(left.map(({ eventId }) => eventId).sort());
    const shown = await summaries();
    for (const scope of SCOPES) {
      const { name, holds } = scope;
      const { ways, visitors, exact } = await ask(scope);
      const own = left.filter(({ linkId }) => holds(linkOf.get(linkId)!));
      const ofScope = lines.filter(({ shortCode, domain }) =>
        LINKS.some((link) => link.code === shortCode && link.domain === domain && holds(link)),
      );
      const said = { ...ways, export: summaryOf(ofScope), summary: shown.get(name) };
      const expected = Object.fromEntries(Object.keys(said).map((way) => [way, summaryOf(own)]));
      expect({ name, said, exact }).toEqual({ name, said: expected, exact: [true, true] });
      const distinct = new Set(own.flatMap(({ visitor }) => visitor ?? []));
      expect([name, visitors]).toEqual([name, [distinct.size, distinct.size]]);
    }
    const inLedger = left.filter(({ occurredAtMs }) => occurredAtMs >= keptFrom).length;
    expect(await verify()).toEqual({ differences: [], skipped: [], visits: inLedger });
  }

  async function seal(): Promise<void> {
    expect((await archive.seal(await archive.dueHours(OCTOBER, 'all'))).failed).toEqual([]);
    const dayAt = (instant: number) => dayOf(instant, 'UTC');
    await archive.aggregateDays({ dayOf: dayAt, closedBefore: OCTOBER, nowMs: Date.now() });
  }

  async function purge(code: string, domain = ''): Promise<void> {
    const before = left.length;
    left = left.filter(({ linkId }) => linkOf.get(linkId)?.code !== code);
    const { body } = await api.request('DELETE', `/rest/v3/short-urls/${code}/visits?${domain}`);
    expect(body).toEqual({ deletedVisits: before - left.length });
  }

  /** As `hopcount visits erase --cookie` does. @returns how many files were written anew */
  async function erase(visitorKey: string): Promise<number> {
    const before = left.length;
    const hashes = [SEPTEMBER, OCTOBER].flatMap((atMs) => hashVisitor(visitorKey, atMs) ?? []);
    left = left.filter(({ visitor }) => visitor === null || !hashes.includes(visitor));
    const eraser = new VisitEraser(api.resources.database, { hasSlots: true });
    const who = { person: 'visitor', hashes, fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity } as const;
    const erasure = await eraser.mark(who);
    const visits = await eraser.erase(erasure);
    const { files, dropped, failed } = await archive.erasePeople(erasure, eraser.inFiles(erasure));
    await eraser.eraseOrphans(erasure);
    await eraser.finish(erasure);
    expect([failed, visits + dropped]).toEqual([[], before - left.length]);
    return files;
  }

  /** As `hopcount relabel` does, by rules under which some people are bots, and some bots people. @returns how many files were written anew */
  async function relabel(): Promise<number> {
    const rules: LabelRules = {
      classOf: ({ class: given }) => ({ class: RELABELLED[given] ?? given, reason: 'known-bot' }),
      channelOf: () => 'mail',
    };
    const relabeler = new VisitRelabeler(api.resources.database, rules, { hasSlots: true });
    const run = await relabeler.open({ from: SEPTEMBER - DAY_MS, to: OCTOBER + 30 * DAY_MS });
    await relabeler.read(run);
    let changed = 0;
    const apply = async (tx: Transaction) => void (changed = await relabeler.switch(tx, run));
    const files = await archive.relabel(run, rules, { apply });
    expect(changed).toBe(left.filter((visit) => RELABELLED[visit.class] !== undefined).length);
    left = left.map((visit) => ({ ...visit, class: RELABELLED[visit.class] ?? visit.class }));
    return files;
  }

  it('agree as visits were committed, be they in files as well', async () => {
    await expectAgreement();
    await seal();
    await expectAgreement();
  });

  it('agree after all visits were labelled anew, those of files, too, and Kafka was read again', async () => {
    expect(await relabel()).toBeGreaterThan(0);
    expect((await commit(committed)).inserted).toEqual([]);
    await expectAgreement();
  });

  it('agree after the visits of a link were deleted, and Kafka was read again', async () => {
    await purge('two', 'domain=o.test');
    expect((await commit(committed)).inserted).toEqual([]);
    await expectAgreement();
  });

  it('agree after a visitor was erased, from files, too, and Kafka was read again', async () => {
    expect(await erase('2')).toBeGreaterThan(0);
    expect((await commit(committed)).inserted).toEqual([]);
    await expectAgreement();
  });

  it('agree after the ledger dropped a month, and when visits go that only files have', async () => {
    await seal();
    const retention = new LedgerRetention(api.resources.database, { ledgerDays: 45, archive });
    expect(await retention.dropMonths(OCTOBER + 47 * DAY_MS)).toEqual([{ month: '2026-09', kept: null }]);
    keptFrom = OCTOBER;
    await expectAgreement();
    expect(await relabel()).toBeGreaterThan(0);
    await expectAgreement();
    expect(await erase('3')).toBeGreaterThan(0);
    await purge('three');
    await expectAgreement();
  });
});
