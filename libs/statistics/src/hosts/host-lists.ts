import {
  HOST_KINDS,
  type HostKind,
  type HostOrder,
  noVisits,
  type VisitsByClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { type HostPast, surgeBase, utcDaysBefore } from '@hopcount/hosts';
import { areHostSumsExact, bucketOf } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { HostPasts } from './host-pasts.js';
import { HostQuestions, type HostQuestionsSettings } from './host-questions.js';
import { type ChildrenAsked, listSites } from './list-sites.js';
import { type Excess, mostExcess } from './most-excess.js';

const LIST_HOSTS = loadSql(import.meta.url, 'sql/list-hosts.sql');
const LIST_RECENT = loadSql(import.meta.url, 'sql/list-recent-hosts.sql');

/** Whose excess is looked at: those with the most visits in the last five minutes. */
const MOST_RECENT = 1_000;

const LIST_SUBTREE = loadSql(import.meta.url, 'sql/list-subtree.sql');

interface HostListQuestion {
  kind: HostKind;
  /** Labels reversed; null: the top. */
  below: string | null;
  orderBy?: HostOrder;
  after: HostPosition | null;
  limit: number;
  keyId?: number | null;
}

/** Where a list goes on. */
export interface HostPosition {
  /** What the list is ordered by. */
  sum: number;
  name: string;
}

interface HostListsSettings extends HostQuestionsSettings {
  isSuffix?: (name: string) => boolean;
  /** Of the reporting zone. */
  daysBefore?: HostPast['daysBefore'];
}

interface ListedRow {
  name: string;
  visits: number;
  /** Of the last five minutes, where that is the order. */
  window: number | null;
  own: number;
  children: number;
  byClass: number[];
  ownByClass: number[];
  /** Both where that is the order. */
  usualVisits?: Excess['usualVisits'];
  excess?: number | null;
}

interface Listed {
  rows: ListedRow[];
  /** Sums of all time are without all that was purged. */
  isAttributed: boolean;
}

/**
 * Lists of hosts by their visits. Sums of all time are kept in the order of lists; those of the last minutes are added up when somebody
 * asks.
 */
export class HostLists {
  readonly #questions: HostQuestions;
  readonly #orders: Record<HostOrder, (question: HostListQuestion) => Promise<Listed>> = {
    visits: (question) => this.#listBySum(question),
    window: (question) => this.#listByWindow(question),
    excess: (question) => this.#listByExcess(question),
  };

  constructor(
    database: Database,
    private readonly settings: HostListsSettings = {},
  ) {
    this.#questions = new HostQuestions(database, settings);
  }

  /**
   * What is one label below a name (null: at the top), each with all below it; by visits of all time, of the last five minutes, or by
   * how many of these are more than usual.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  async list({ orderBy = 'visits', ...question }: HostListQuestion) {
    const { rows, isAttributed } = await this.#orders[orderBy](question);
    const page = rows.slice(0, question.limit).map(toHost);
    const last = page.at(-1);
    const next =
      rows.length > question.limit && last !== undefined
        ? { sum: last.excess ?? last.window ?? last.visits, name: last.name }
        : null;
    return { hosts: page, next, isAttributed };
  }

  #listBySum({ kind, below, after, limit, keyId = null }: HostListQuestion): Promise<Listed> {
    return this.#ask({ kind, below: [], keyId }, async (tx) => {
      const [rows] = await readChildren(tx, kind, [{ of: below, after: after ?? undefined }], limit + 1);
      return rows ?? [];
    });
  }

  #listByWindow({ kind, below, after, limit, keyId = null }: HostListQuestion): Promise<Listed> {
    const values = [HOST_KINDS.indexOf(kind), below, after?.sum ?? null, after?.name ?? null, limit + 1];
    return this.#ask({ kind, below: [], keyId }, (tx) => tx.query<ListedRow>(LIST_RECENT, values));
  }

  /** What is usual is the base that surges are held against; a name and many below it may have to be read for one. */
  #listByExcess({ kind, below, after, limit, keyId = null }: HostListQuestion): Promise<Listed> {
    const kindNumber = HOST_KINDS.indexOf(kind);
    return this.#ask({ kind, below: 'everything', keyId }, async (tx) => {
      const nowMs = Date.now();
      const pasts = new HostPasts(tx, this.settings.daysBefore ?? utcDaysBefore);
      const usualOf = async (rows: readonly ListedRow[]) => {
        const named = rows.map(({ name }) => ({ kind: kindNumber, name }));
        return (await pasts.read(named, bucketOf(nowMs))).map((past) => {
          const base = surgeBase(past, nowMs);
          return base.isNew ? null : base.visits;
        });
      };
      const rows = await tx.query<ListedRow>(LIST_RECENT, [kindNumber, below, null, null, MOST_RECENT]);
      return mostExcess(rows, usualOf, { after, limit: limit + 1 });
    });
  }

  /**
   * Sites, each with all below it, by visits of all time.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  async listSites({ kind, limit, keyId = null }: Pick<HostListQuestion, 'kind' | 'limit' | 'keyId'>) {
    const { isSuffix = () => false } = this.settings;
    const { rows, isAttributed } = await this.#ask({ kind, below: [], keyId }, (tx) =>
      listSites<ListedRow>(limit, {
        isSuffix,
        read: (asked, most) => {
          const positions = asked.map(({ of, after }) => ({
            of,
            after: after && { sum: after.visits, name: after.name },
          }));
          return readChildren(tx, kind, positions, most);
        },
        // What is below a suffix are sites of their own.
        alone: (row) => (row.own === 0 ? null : { ...row, visits: row.own, byClass: row.ownByClass, children: 0 }),
      }),
    );
    return { hosts: rows.map(toHost), isAttributed };
  }

  #ask(
    question: Parameters<HostQuestions['ask']>[0],
    list: (tx: Transaction) => Promise<ListedRow[]>,
  ): Promise<Listed> {
    return this.#questions.ask(question, async (tx) => ({
      rows: await list(tx),
      isAttributed: await areHostSumsExact(tx, { folded: true }),
    }));
  }

  /**
   * A name and the names below it, each with all below it, of all time; those with the most visits.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  lines({ kind, name }: { kind: HostKind; name: string }, limit: number, keyId: number | null = null) {
    const values = [HOST_KINDS.indexOf(kind), name, limit];
    return this.#questions.ask({ kind, below: [name], keyId }, async (tx) => ({
      rows: await tx.query<{ name: string; visits: number }>(LIST_SUBTREE, values),
      isAttributed: await areHostSumsExact(tx, { folded: true }),
    }));
  }
}

/** Of each name so many children behind a position, the largest first. */
async function readChildren(
  tx: Transaction,
  kind: HostKind,
  asked: readonly ChildrenAsked<HostPosition>[],
  limit: number,
): Promise<ListedRow[][]> {
  const rows = await tx.query<ListedRow & { nr: number }>(LIST_HOSTS, [
    HOST_KINDS.indexOf(kind),
    asked.map(({ of }) => of),
    asked.map(({ after }) => after?.sum ?? null),
    asked.map(({ after }) => after?.name ?? null),
    limit,
  ]);
  const children: ListedRow[][] = asked.map(() => []);
  for (const { nr, ...row } of rows) children[nr - 1]?.push(row);
  return children;
}

function toHost({ name, visits, window, own, children, byClass, usualVisits = null, excess = null }: ListedRow) {
  return { name, visits, window, usualVisits, excess, own, children, byClass: byClassOf(byClass) };
}

function byClassOf(classes: readonly number[]): VisitsByClass {
  const byClass = noVisits();
  for (const [place, visits] of classes.entries()) byClass[visitClassFromNumber(place)] = visits;
  return byClass;
}
