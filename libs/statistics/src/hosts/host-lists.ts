import {
  HOST_KINDS,
  type HostKind,
  type HostOrder,
  noVisits,
  type VisitsByClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

import { HostQuestions, type HostQuestionsSettings } from './host-questions.js';
import { listSites } from './list-sites.js';

const LIST_HOSTS = {
  visits: loadSql(import.meta.url, 'sql/list-hosts.sql'),
  window: loadSql(import.meta.url, 'sql/list-recent-hosts.sql'),
} satisfies Record<HostOrder, string>;

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

interface ListedRow {
  name: string;
  visits: number;
  /** Of the last five minutes, where that is the order. */
  window: number | null;
  own: number;
  children: number;
  byClass: number[];
  ownByClass: number[];
}

/**
 * Lists of hosts by their visits. Sums of all time are kept in the order of lists; those of the last minutes are added up when somebody
 * asks.
 */
export class HostLists {
  readonly #questions: HostQuestions;

  constructor(
    database: Database,
    private readonly settings: HostQuestionsSettings & { isSuffix?: (name: string) => boolean } = {},
  ) {
    this.#questions = new HostQuestions(database, settings);
  }

  /**
   * What is one label below a name (null: at the top), each with all below it; by visits of all time, or of the last five minutes.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  async list({ kind, below, orderBy = 'visits', after, limit, keyId = null }: HostListQuestion) {
    const values = [HOST_KINDS.indexOf(kind), below, after?.sum ?? null, after?.name ?? null, limit + 1];
    const question = { kind, below: [], keyId };
    const rows = await this.#questions.ask(question, (tx) => tx.query<ListedRow>(LIST_HOSTS[orderBy], values));
    const page = rows.slice(0, limit).map(toHost);
    const last = page.at(-1);
    return {
      hosts: page,
      next: rows.length > limit && last !== undefined ? { sum: last.window ?? last.visits, name: last.name } : null,
    };
  }

  /**
   * Sites, each with all below it, by visits of all time.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  async listSites({ kind, limit, keyId = null }: Pick<HostListQuestion, 'kind' | 'limit' | 'keyId'>) {
    const { isSuffix = () => false } = this.settings;
    const rows = await this.#questions.ask({ kind, below: [], keyId }, (tx) =>
      listSites<ListedRow>(
        limit,
        isSuffix,
        (of, after, most) => {
          const values = [HOST_KINDS.indexOf(kind), of, after?.visits ?? null, after?.name ?? null, most];
          return tx.query<ListedRow>(LIST_HOSTS.visits, values);
        },
        // What is below a suffix are sites of their own.
        (row) => (row.own === 0 ? null : { ...row, visits: row.own, byClass: row.ownByClass, children: 0 }),
      ),
    );
    return rows.map(toHost);
  }

  /**
   * A name and the names below it, each with all below it, of all time; those with the most visits.
   * @throws AppError `too-many-questions`, `answer-takes-too-long`
   */
  lines({ kind, name }: { kind: HostKind; name: string }, limit: number, keyId: number | null = null) {
    const values = [HOST_KINDS.indexOf(kind), name, limit];
    return this.#questions.ask({ kind, below: [name], keyId }, (tx) =>
      tx.query<{ name: string; visits: number }>(LIST_SUBTREE, values),
    );
  }
}

function toHost({ name, visits, window, own, children, byClass }: ListedRow) {
  return { name, visits, window, own, children, byClass: byClassOf(byClass) };
}

function byClassOf(classes: readonly number[]): VisitsByClass {
  const byClass = noVisits();
  for (const [place, visits] of classes.entries()) byClass[visitClassFromNumber(place)] = visits;
  return byClass;
}
