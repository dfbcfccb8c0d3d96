import { loadPreparedSql, loadSql, type Queryable } from '@hopcount/postgres';
import type { BloomFilter } from '@hopcount/redis';
import { type Logger, takeFirst } from '@hopcount/runtime';

import { type Moment, momentNow } from '../filter/filter-view.js';
import { NOT_FOUND_FIELDS, type NotFoundRedirects } from '../targets/not-found-target.js';
import { type LinkKey, type LinkState, type LinkStateRow, stateFromRow } from './resolved-link.js';

const READ_LINKS = loadPreparedSql(import.meta.url, 'sql/read-links.sql');
const READ_LINKS_LOOSELY = loadPreparedSql(import.meta.url, 'sql/read-links-loosely.sql');
const LIST_DOMAINS = loadSql(import.meta.url, 'sql/list-domains.sql');
const READ_FILTER = 'SELECT believed_link_filter() AS filter';

/** Links of one statement, so that no answer and no plan grows with what a gateway holds. */
const BATCH_LINKS = 1_000;
/** Look-ups are gathered while so many statements are under way; half of the gateway's connections. */
const MAX_UNDER_WAY = 2;
const LONGEST_WAIT_MS = 3_000;
const NO_LINK: LinkAnswer = { state: undefined, alike: [] };

/** Authorities with links of their own, and the one every other host falls back to. */
export interface KnownDomains {
  authorities: Set<string>;
  defaultAuthority: string | undefined;
  /** Of those domains that have some, also without links. */
  redirects: Map<string, NotFoundRedirects>;
}

export interface LinkDatabaseOptions {
  /** For codes without a link, ask for those that differ in the case of letters. */
  looseCodes?: boolean | undefined;
  longestWaitMs?: number | undefined;
  /** Hears with every answer which filter of codes may be believed, and when it was asked for. */
  onFilter?: (filter: BloomFilter | null, askedAt: Moment) => void;
}

/** What PostgreSQL knows of a code. */
export interface LinkAnswer {
  state: LinkState | undefined;
  /** Codes that may be meant instead; empty unless codes are loose and no live link has the one asked for. */
  alike: readonly string[];
}

interface Question {
  key: LinkKey;
  resolve: (answer: LinkAnswer) => void;
  reject: (error: unknown) => void;
}

/** What PostgreSQL says about links, asked in batches. Every answer says which incarnation of the ledger speaks. */
export class LinkDatabase {
  readonly #questions: Question[] = [];
  #underWay = 0;
  #isAskingSoon = false;
  #isAway = false;
  #asked = 0;
  #incarnation: string | undefined;
  readonly #readLinks: string;
  readonly #longestWaitMs: number;
  readonly #onFilter: LinkDatabaseOptions['onFilter'];
  #isReadingFilter = false;

  constructor(
    private readonly database: Queryable,
    private readonly logger: Logger,
    { looseCodes = false, longestWaitMs = LONGEST_WAIT_MS, onFilter }: LinkDatabaseOptions = {},
  ) {
    this.#readLinks = looseCodes ? READ_LINKS_LOOSELY : READ_LINKS;
    this.#longestWaitMs = longestWaitMs;
    this.#onFilter = onFilter;
  }

  /** From an error, or an answer somebody could not wait for, until the next answer. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** How many links visitors waited for. */
  get asked(): number {
    return this.#asked;
  }

  /** As of the last answer. */
  get incarnation(): string | undefined {
    return this.#incarnation;
  }

  /** One link, together with what others ask meanwhile. @throws after `patienceMs`, or the driver's error */
  find(key: LinkKey, patienceMs = this.#longestWaitMs): Promise<LinkAnswer> {
    let question: Question | undefined;
    const answer = new Promise<LinkAnswer>((resolve, reject) => {
      question = { key, resolve, reject };
      this.#questions.push(question);
    });
    this.#askSoon();
    // Nobody waits for it any more: in an outage the questions would pile up, and be asked first after it.
    return this.#within(patienceMs, answer).finally(() =>
      takeFirst(this.#questions, (waiting) => waiting === question),
    );
  }

  /** Any number of links, one statement after the other: `each` gets them with the time they were asked for. */
  async readAll<Key extends LinkKey>(
    keys: readonly Key[],
    each: (key: Key, state: LinkState | undefined) => void,
  ): Promise<void> {
    for (let from = 0; from < keys.length; from += BATCH_LINKS) {
      const batch = keys.slice(from, from + BATCH_LINKS);
      const answers = await this.#within(this.#longestWaitMs, this.#read(batch));
      batch.forEach((key, index) => each(key, answers[index]?.state));
    }
  }

  async listDomains(): Promise<KnownDomains> {
    interface DomainRow extends NotFoundRedirects {
      authority: string;
      is_default: boolean;
      has_links: boolean;
      incarnation: string;
    }
    const rows = await this.#within(this.#longestWaitMs, this.database.query<DomainRow>(LIST_DOMAINS));
    this.#answered(rows[0]?.incarnation);
    return {
      authorities: new Set(rows.filter((row) => row.has_links).map((row) => row.authority)),
      defaultAuthority: rows.find((row) => row.is_default)?.authority,
      redirects: new Map(rows.flatMap((row) => (hasRedirects(row) ? [[row.authority, redirectsOf(row)]] : []))),
    };
  }

  /** In the background: whether the filter may still be believed. */
  readFilter(): void {
    if (this.#isReadingFilter) return;
    this.#isReadingFilter = true;
    const askedAt = momentNow();
    this.database
      .query<{ filter: BloomFilter | null }>(READ_FILTER)
      .then(
        ([row]) => this.#onFilter?.(row?.filter ?? null, askedAt),
        () => undefined, // then it is not believed any more
      )
      .finally(() => (this.#isReadingFilter = false));
  }

  /** With the questions of the same turn of the event loop. */
  #askSoon(): void {
    if (this.#isAskingSoon) return;
    this.#isAskingSoon = true;
    setImmediate(() => {
      this.#isAskingSoon = false;
      this.#ask();
    });
  }

  #ask(): void {
    if (this.#underWay >= MAX_UNDER_WAY || this.#questions.length === 0) return;
    const batch = this.#questions.splice(0, BATCH_LINKS);
    this.#asked += batch.length;
    this.#underWay += 1;
    this.#read(batch.map(({ key }) => key))
      .then(
        (answers) => batch.forEach(({ resolve }, index) => resolve(answers[index] ?? NO_LINK)),
        (error: unknown) => batch.forEach(({ reject }) => reject(error)),
      )
      .finally(() => {
        this.#underWay -= 1;
        this.#ask();
      });
  }

  async #read(keys: readonly LinkKey[]): Promise<LinkAnswer[]> {
    type Row = LinkStateRow & {
      incarnation: string;
      version: string | null;
      alike?: string[] | null;
      filter: BloomFilter | null;
    };
    const values = [keys.map(({ domain }) => domain), keys.map(({ code }) => code)];
    const askedAt = momentNow();
    const rows = await this.database.query<Row>(this.#readLinks, values);
    this.#onFilter?.(rows[0]?.filter ?? null, askedAt);
    this.#answered(rows[0]?.incarnation);
    return rows.map((row) => ({
      state: row.version === null ? undefined : stateFromRow(row),
      alike: row.alike ?? [],
    }));
  }

  #answered(incarnation: string | undefined): void {
    this.#isAway = false;
    this.#incarnation = incarnation ?? this.#incarnation;
  }

  async #within<T>(patienceMs: number, answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`PostgreSQL did not answer in ${patienceMs} ms`)), patienceMs);
    });
    try {
      return await Promise.race([answer, late]);
    } catch (error) {
      answer.catch(() => undefined);
      this.#isAway = true;
      this.logger.warn({ err: error }, 'PostgreSQL does not answer; links come from the caches');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function hasRedirects(row: NotFoundRedirects): boolean {
  return NOT_FOUND_FIELDS.some((field) => row[field] !== null);
}

function redirectsOf(row: NotFoundRedirects): NotFoundRedirects {
  const { baseUrlRedirect, regular404Redirect, invalidShortUrlRedirect } = row;
  return { baseUrlRedirect, regular404Redirect, invalidShortUrlRedirect };
}
