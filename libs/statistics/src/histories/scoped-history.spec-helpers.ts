import { ArchiveReader, type ValuePage } from '@hopcount/archive';
import { BUCKET_MS, bucketOf, type EnrichedVisit, HOUR_MS, VisitPurger } from '@hopcount/ledger';
import { Ledger, noLock, randomSource } from '@hopcount/ledger/spec-helpers';
import { Reach } from '@hopcount/runtime';
import { expect } from '@jest/globals';

import { ledgerVisitsReader, ReadArchive } from '../archive.spec-helpers.js';
import { seriesStarts } from '../range/intervals.js';
import type { AnswerState } from '../scopes/scope-questions.js';
import type { StatisticsScope } from '../scopes/statistics-scope.js';
import { VisitsStatisticsReader } from '../scopes/visits-statistics-reader.js';
import { drawQuestion, EDGES, FROM, LINKS, type Question, SPAN } from './drawn-questions.spec-helpers.js';
import { HostEvidence } from './host-evidence.spec-helpers.js';
import { ScopeEvidence } from './scope-evidence.spec-helpers.js';
import {
  firstSeenOf,
  inOrder,
  isInScope,
  passes,
  type ScopedVisit,
  seriesOf,
  TAGGED,
  totalsOf,
  valuesOf,
  variedVisit,
} from './scope-model.spec-helpers.js';

export { FROM, LINKS, SPAN };

const ORDERS = [
  { order: 'visits', isAscending: false },
  { order: 'visits', isAscending: true },
  { order: 'value', isAscending: true },
  { order: 'value', isAscending: false },
] as const;
/** Questions that are asked again are of the last so many, as a dashboard's are: between the two little has happened. */
const RECENT = 4;
/** Apart. */
const OTHER_HOURS = 6 * HOUR_MS;

/** Links on two domains, in groups, two with a tag; visits beside a model of them. */
export class ScopedHistory {
  visits: ScopedVisit[] = [];
  dropped = Number.NEGATIVE_INFINITY;
  readonly happened = {
    duplicates: 0,
    purged: 0,
    purgedDropped: 0,
    purgedElsewhere: 0,
    filtered: 0,
    edges: 0,
    manyLinks: 0,
  };
  readonly readFrom = { files: 0, ledgerHours: 0, sumsAlone: 0 };
  readonly #batches: EnrichedVisit[][] = [];
  readonly #groups = new Map<string, string>();
  /** Of purges. */
  readonly marks = new Map<string, number>();
  /** For which all but one link are too many to name. */
  readonly #unnamed: VisitsStatisticsReader;
  readonly #withoutFiles: ArchiveReader;
  readonly evidence: ScopeEvidence;
  readonly hosts: HostEvidence;
  #readings = 0;
  readonly #asked: Question[] = [];

  private constructor(
    readonly ledger: Ledger,
    readonly files: ReadArchive,
    readonly random: ReturnType<typeof randomSource>,
    readonly alone: VisitsStatisticsReader,
    private readonly consume: Awaited<ReturnType<Ledger['consumer']>>,
  ) {
    this.#unnamed = new VisitsStatisticsReader(ledger.database, files.files, { linksNamed: 1 });
    this.#withoutFiles = new ArchiveReader(ledger.database, { root: undefined, memoryMb: 128 });
    this.evidence = new ScopeEvidence(ledger.database, random);
    this.hosts = new HostEvidence(ledger, files, random);
  }

  static async open(seed: number): Promise<ScopedHistory> {
    const ledger = await Ledger.open();
    await ledger.server.query(`INSERT INTO domains (authority) VALUES ('two.test')`);
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1'), ('g-2', '2')`);
    await ledger.server.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT n, 1 + n % 2, n, 'https://example.com/' FROM unnest($1::bigint[]) AS n`,
      [LINKS],
    );
    await ledger.server.query(`INSERT INTO tags (name) VALUES ('launch')`);
    await ledger.server.query(
      'INSERT INTO link_tags (link_id, tag_id) SELECT links.id, tags.id FROM links, tags WHERE links.id IN (1, 4)',
    );
    const files = new ReadArchive(ledger.database, { maxFileBytes: 1 });
    const history = new ScopedHistory(
      ledger,
      files,
      randomSource(seed),
      ledgerVisitsReader(ledger.database),
      await ledger.consumer(),
    );
    await history.move('2', 'g-1');
    await history.move('3', 'g-2');
    return history;
  }

  async close(): Promise<void> {
    await this.files.close();
    await this.ledger.close();
  }

  async move(linkId: string, groupId: string): Promise<void> {
    await this.ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [
      linkId,
      groupId === '' ? null : groupId,
    ]);
    this.#groups.set(linkId, groupId);
  }

  async commit(count: number, atMs?: number): Promise<void> {
    const { random } = this;
    const at = () => {
      if (atMs !== undefined) return atMs;
      const atEdge = random.pick(EDGES) + random.pick([-1, 0, 1, BUCKET_MS]);
      // Each hour is a file: those at the edges, and few others.
      const anywhere = FROM + OTHER_HOURS * random.below((SPAN.to - FROM) / OTHER_HOURS) + random.below(HOUR_MS);
      return Math.min(Math.max(random.below(3) === 0 ? atEdge : anywhere, FROM, this.dropped), SPAN.to - 1);
    };
    const visits = Array.from({ length: count }, () => variedVisit(random, random.pick(LINKS), at()));
    this.#batches.push(visits);
    await this.#consume(visits);
  }

  async repeat(): Promise<void> {
    await this.#consume(this.random.pick(this.#batches).filter(({ occurredAtMs }) => occurredAtMs >= this.dropped));
  }

  /** Given visits, such as those that were purged of another link. */
  async take(visits: readonly EnrichedVisit[]): Promise<void> {
    await this.#consume(visits);
  }

  async #consume(visits: readonly EnrichedVisit[]): Promise<void> {
    const { inserted, duplicates } = await this.consume(visits);
    const fresh = new Set(inserted);
    const imported = new Set(inserted.filter(() => this.random.below(4) === 0));
    await this.ledger.server.query(`UPDATE visits SET imported_from = 'old.example' WHERE event_id = ANY ($1)`, [
      [...imported],
    ]);
    this.happened.duplicates += duplicates;
    this.visits.push(
      ...visits
        .filter(({ eventId }) => fresh.has(eventId))
        .map((visit) => ({
          ...visit,
          domainId: 1 + (Number(visit.linkId) % 2),
          groupId: this.#groups.get(visit.linkId) ?? '',
          importedFrom: imported.has(visit.eventId) ? 'old.example' : null,
        })),
    );
  }

  /** To its end, or cut short after a transaction or two. */
  async purge(isWhole: boolean, named?: { linkId: string; beforeMs: number }): Promise<void> {
    const { random } = this;
    const { linkId, ...asked } = named ?? {
      linkId: random.pick(LINKS),
      beforeMs: FROM + Math.floor(random.below(SPAN.to - FROM) / BUCKET_MS) * BUCKET_MS,
    };
    // A mark never goes back: one that was cut short before is brought to its end.
    const beforeMs = Math.max(asked.beforeMs, this.marks.get(linkId) ?? 0);
    this.marks.set(linkId, beforeMs);
    const purger = new VisitPurger(this.ledger.database, noLock, {
      hasSlots: true,
      budgetMs: isWhole ? 60_000 : 0,
      visitsPerTransaction: 5,
    });
    const before = this.visits.length;
    // Of dropped months whole buckets go.
    const endOf = ({ occurredAtMs }: ScopedVisit) =>
      occurredAtMs < this.dropped ? bucketOf(occurredAtMs) + BUCKET_MS : occurredAtMs + 1;
    const isGone = (visit: ScopedVisit) => visit.linkId === linkId && endOf(visit) <= beforeMs;
    const dropped = this.visits.filter((visit) => isGone(visit) && visit.occurredAtMs < this.dropped);
    try {
      await purger.purge(linkId, { beforeMs });
      this.visits = this.visits.filter((visit) => !isGone(visit));
    } catch (error) {
      expect(error).toMatchObject({ code: 'purge-unfinished' });
      const left = await this.#inLedger();
      // Of dropped months all goes at once, first of all.
      this.visits = this.visits.filter((visit) => !isGone(visit) || left.has(visit.eventId));
    }
    this.happened.purged += before - this.visits.length;
    if (dropped.length > 0) this.happened.purgedDropped += 1;
    const group = this.#groups.get(linkId) ?? '';
    if (dropped.some(({ groupId }) => groupId !== group)) this.happened.purgedElsewhere += 1;
  }

  async #inLedger(): Promise<Set<string>> {
    const rows = await this.ledger.server.query<{ id: string }>('SELECT event_id AS id FROM visits');
    return new Set(rows.map(({ id }) => id));
  }

  /** The ledger loses what is sealed, as it loses a month. */
  async drop(wanted: number): Promise<void> {
    // What is dropped never comes back.
    const before = Math.max(wanted, this.dropped);
    await new VisitPurger(this.ledger.database, noLock, { hasSlots: true }).finishAll({ idleMs: 0 });
    const left = await this.#inLedger();
    this.visits = this.visits.filter((visit) => visit.occurredAtMs < this.dropped || left.has(visit.eventId));
    await this.files.seal(before);
    await this.ledger.server.query('DELETE FROM visits WHERE occurred_at < $1', [new Date(before)]);
    await this.ledger.server.query(
      `INSERT INTO ledger_retention (kept_from) VALUES ($1) ON CONFLICT (singleton) DO UPDATE SET kept_from = excluded.kept_from`,
      [new Date(before)],
    );
    this.dropped = before;
  }

  /**
   * Any question, often one that was asked before, against a count of the visits; those the ledger has all of, also without files.
   * Each is asked twice: the second answer is made of what was kept of files for the next.
   */
  async read(wanted?: StatisticsScope): Promise<void> {
    const { random } = this;
    const isAgain = wanted === undefined && this.#asked.length > 0 && random.below(2) === 0;
    const question = isAgain ? random.pick(this.#asked.slice(-RECENT)) : drawQuestion(random, this.visits, wanted);
    this.#asked.push(question);
    const { scope, range, filters, timeZone, interval, uniques, of } = question;
    const query = { reach: Reach.everything, ...range, scope, filters, uniques };
    const starts = seriesStarts(range, interval, timeZone);
    this.#readings += 1;
    const order = ORDERS[this.#readings % ORDERS.length]!;
    const page: ValuePage = { ...order, offset: random.below(3), limit: 1 + random.below(4) };
    const inside = this.visits.filter(
      (visit) =>
        visit.occurredAtMs >= range.from &&
        visit.occurredAtMs < range.to &&
        isInScope(visit, scope, TAGGED) &&
        passes(visit, filters),
    );
    const values = inOrder(valuesOf(inside, of), page);
    const withUniques = <Counts extends { visitors: number; ips: number }>({ visitors, ips, ...counts }: Counts) => ({
      ...counts,
      ...(query.uniques !== 'none' && { visitors }),
      ...(query.uniques === 'all' && { ips }),
    });
    const expected = {
      totals: withUniques(totalsOf(inside)),
      points: seriesOf(inside, starts).map(withUniques),
      rows: values.slice(page.offset, page.offset + page.limit).map(withUniques),
      values: values.length,
      visits: inside.length,
    };
    this.happened.filtered += inside.length > 0 && filters.length > 0 ? 1 : 0;
    this.happened.edges += range.from % BUCKET_MS === 0 && range.to % BUCKET_MS === 0 ? 0 : 1;
    const isUnnamed = this.#readings % 2 === 0;
    const hasMany = scope.of === 'domain' || (scope.of === 'tag' && scope.domainId === undefined);
    this.happened.manyLinks += isUnnamed && hasMany ? 1 : 0;
    const filed = isUnnamed ? this.#unnamed : this.files.visits;
    const readers = [filed, filed, ...(range.from >= this.dropped ? [this.alone] : [])];
    for (const reader of readers) {
      const { totals, ...one } = await reader.totals(query);
      const { points, ...two } = await reader.series(query, starts);
      const { rows, values: found, visits, ...three } = await reader.values(query, of, page);
      const { rows: firsts } = await reader.firstSeen(query, { ...order, offset: 0, limit: 3 });
      expect([scope, filters, range, firsts]).toEqual([scope, filters, range, inOrder(firstSeenOf(inside), order)]);
      expect({ question: [scope, filters, range, of, page], totals, points, rows, values: found, visits }).toEqual({
        question: [scope, filters, range, of, page],
        ...expected,
      });
      for (const state of [one, two, three]) this.#expectKnown(state);
    }
    await this.hosts.expect(this.visits, range, starts);
    // Of what the ledger has all of, sometimes without files.
    const isAlone = range.from >= this.dropped && random.below(2) === 0;
    const archive = isAlone ? this.#withoutFiles : this.files.files;
    const settings = hasMany && isUnnamed ? { linksNamed: 1 } : {};
    await this.evidence.expect(
      { ...query, timeZone, interval },
      { inside, all: this.visits, dropped: this.dropped, archive, settings },
      (state) => this.#expectKnown(state),
    );
  }

  #expectKnown({ unknown, readFrom }: AnswerState): void {
    expect(unknown).toEqual([]);
    this.readFrom.files += readFrom.files;
    this.readFrom.ledgerHours += readFrom.ledgerHours;
    this.readFrom.sumsAlone += readFrom.days + readFrom.files + readFrom.ledgerHours === 0 ? 1 : 0;
  }
}
