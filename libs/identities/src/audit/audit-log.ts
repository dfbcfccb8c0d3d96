import type { AuditActorKind, AuditEntry, AuditKind } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const NEWEST_FIRST = loadSql(import.meta.url, 'sql/read-entries.sql');
const OLDEST_FIRST = NEWEST_FIRST.replace('(at, id) <', '(at, id) >').replaceAll(' DESC', '');
const FIND_SETTLED = loadSql(import.meta.url, 'sql/find-settled.sql');
const DELETE_ENTRIES = loadSql(import.meta.url, 'sql/delete-entries.sql');
/** $1 rows that may stay. */
const FIND_SURPLUS = 'SELECT at, id FROM audit_log ORDER BY at DESC, id DESC OFFSET $1 LIMIT 1';

const ENTRY_ID = /^(\d{1,14})-(\d{1,18})$/;
const LAST_ID = '9223372036854775807';
/** Some of them hold rules of a link before and after: 40 KB. */
const ENTRIES_AT_ONCE = 500;
const ROWS_PER_STATEMENT = 5_000;

export function isAuditEntryId(text: string): boolean {
  return ENTRY_ID.test(text);
}

export interface AuditQuery {
  actorKind: AuditActorKind | null;
  /** The name that stands in the log. */
  actor: string | null;
  kind: AuditKind | null;
  object: string | null;
  /** Epoch milliseconds; undefined: open. */
  from: number | undefined;
  to: number | undefined;
  /** `id` of the entry to go on behind. */
  after: string | null;
}

interface AuditRetention {
  /** Older ones go, whatever their number; epoch milliseconds. */
  beforeMs: number;
  /** Of the younger ones so many stay, the newest. */
  maxRows: number;
  signal?: AbortSignal | undefined;
}

interface Row extends Omit<AuditEntry, 'date' | 'actor'> {
  date: Date;
  actor: Partial<AuditEntry['actor']> & Pick<AuditEntry['actor'], 'kind' | 'name'>;
}

/** Who changed what. Rows are written by triggers (migration 0019), never from here. */
export class AuditLog {
  constructor(private readonly database: Database) {}

  /** Newest first. @throws AppError `invalid-data` (`after`) */
  async list(query: AuditQuery, limit: number): Promise<{ entries: AuditEntry[]; next: string | null }> {
    const entries = await this.#read(NEWEST_FIRST, query, limit + 1);
    const isLast = entries.length <= limit;
    const page = entries.slice(0, limit);
    return { entries: page, next: isLast ? null : (page.at(-1)?.id ?? null) };
  }

  /**
   * All that match, oldest first, some at a time. It ends before the oldest transaction under way, whose entries have
   * the time it began at: so none comes before one that was read, and who goes on behind the last misses none.
   * @throws AppError `invalid-data` (`after`)
   */
  async *read(query: AuditQuery): AsyncGenerator<AuditEntry[]> {
    const [row] = await this.database.query<{ settledMs: number }>(FIND_SETTLED);
    const to = Math.min(query.to ?? Infinity, row?.settledMs ?? 0);
    let { after } = query;
    for (;;) {
      const entries = await this.#read(OLDEST_FIRST, { ...query, to, after }, ENTRIES_AT_ONCE);
      if (entries.length > 0) yield entries;
      if (entries.length < ENTRIES_AT_ONCE) return;
      after = entries.at(-1)?.id ?? null;
    }
  }

  /** @returns how many rows were deleted because of their age, and how many younger ones because of their number */
  async expire({ beforeMs, maxRows, signal }: AuditRetention): Promise<{ old: number; surplus: number }> {
    const old = await this.#deleteUpTo({ at: new Date(beforeMs), id: '0' }, signal);
    const [last] = await this.database.query<{ at: Date; id: string }>(FIND_SURPLUS, [maxRows]);
    return { old, surplus: last === undefined ? 0 : await this.#deleteUpTo(last, signal) };
  }

  /** Numbers begin at 1. */
  async #deleteUpTo({ at, id }: { at: Date; id: string }, signal: AbortSignal | undefined): Promise<number> {
    let deleted = 0;
    for (let some = ROWS_PER_STATEMENT; some === ROWS_PER_STATEMENT && signal?.aborted !== true; deleted += some) {
      some = (await this.database.execute(DELETE_ENTRIES, [at, id, ROWS_PER_STATEMENT])).affected;
    }
    return deleted;
  }

  async #read(statement: string, query: AuditQuery, limit: number): Promise<AuditEntry[]> {
    const { actorKind, actor, kind, object, from = '-infinity', to = 'infinity' } = query;
    const behind = statement === NEWEST_FIRST ? ['infinity', LAST_ID] : ['-infinity', '0'];
    const [at, id] = query.after === null ? behind : parseEntryId(query.after);
    const range = [at, id, from, to].map((value) => (typeof value === 'number' ? new Date(value) : value));
    const rows = await this.database.query<Row>(statement, [...range, actorKind, actor, kind, object, limit]);
    return rows.map(toEntry);
  }
}

function parseEntryId(text: string): [atMs: number, id: string] {
  const [, atMs, id] = ENTRY_ID.exec(text) ?? [];
  if (atMs !== undefined && id !== undefined) return [Number(atMs), id];
  throw new AppError('invalid-data', 'Go on behind the id of an entry.', { details: { invalidElements: ['after'] } });
}

function toEntry({ date, actor, before, after, ...row }: Row): AuditEntry {
  const nobody = { id: null, address: null, operation: null, requestId: null };
  return {
    ...row,
    date: date.toISOString(),
    actor: { ...nobody, ...actor },
    before: asApiNames(before),
    after: asApiNames(after),
  };
}

/** `long_url` is `longUrl`: columns are called as the API calls them, nearly all. */
function asApiNames(fields: AuditEntry['before']): AuditEntry['before'] {
  if (fields === null) return null;
  const toName = (column: string) => column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(fields).map(([column, value]) => [toName(column), value]));
}
