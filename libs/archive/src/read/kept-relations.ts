import { createHash } from 'node:crypto';

import { isAppError } from '@hopcount/runtime';

import type { DuckSession } from '../duckdb/duck-database.js';

/** Visits that are the same whenever they are read: some or all of a file, or of a quarter of an hour of the ledger. */
export interface LastingPart {
  /** No other visits ever have it. */
  key: string;
}

/** What is kept of the visits of some parts, in DuckDB's words. */
export interface KeptRelation<Part> {
  /** What is asked. The same name and the same parts have the same rows. */
  name: string;
  /** `then` is given a SELECT of rows of the parts. */
  read: (parts: readonly Part[], then: (rows: string) => Promise<void>) => Promise<void>;
  /** Of all rows of such SELECTs, those to keep. */
  merged: (rows: string) => string;
  /** An aggregate of the rows: how many bytes they take. */
  bytes: string;
  /** Rows of some parts say nothing of more parts: then all are read anew. */
  isFinal?: true;
}

/** It never changes: of more files it is another table. */
interface Table {
  name: string;
  parts: ReadonlySet<string>;
  bytes: number;
  /** Not where its rows were too many to be kept. */
  isThere: boolean;
  readers: number;
  usedAtMs: number;
}

/** Of one database. */
interface Tables {
  /** By the names of relations, the longest unused first. */
  known: Map<string, Table>;
  /** Dropped once nobody reads them. */
  retired: Set<Pick<Table, 'name' | 'readers'>>;
  /** How often everything had been forgotten. */
  forgotten: number;
}

/** What was asked before the last so many is new again. */
const REMEMBERED_NAMES = 1_000;
const DUCK_ERRORS = ['archive-memory-exceeded', 'archive-no-space', 'archive-engine-failed'] as const;
/** What a row takes at least, and a table without any: so many fit. */
const ROW_BYTES = 8;
const TABLE_BYTES = 2 ** 15;
/** What nobody asked for so long goes: it may be about people who were erased since. */
const UNUSED_MS = 3_600_000;

/**
 * Partial results over files, in the database that a reader keeps open. A dashboard asks the same again and again,
 * and of its answers only the open hour is new. The bytes of a file never change, so what is known of it stays: only
 * a question that is asked for the second time is worth its memory, and a file more is added to what is known of the
 * others. The longest unused make room for others.
 */
export class KeptRelations {
  readonly #tables = new WeakMap<object, Tables>();
  readonly #asked = new Set<string>();
  #made = 0;
  #forgotten = 0;

  /** @param settings tests only: `keepsAtOnce`, what is asked for the first time is kept; `nowMs`, the clock */
  constructor(
    private readonly settings: { mostBytes: number; keepsAtOnce?: boolean | undefined; nowMs?: () => number },
  ) {}

  /** Files were read that may have been damaged: nothing of them is used again. */
  forget(): void {
    this.#forgotten += 1;
  }

  /**
   * @param work is given a table of each relation, with all rows of the parts; undefined: nothing is kept of this
   * question
   */
  async use<Part extends LastingPart, T>(
    session: DuckSession,
    relations: readonly KeptRelation<Part>[],
    parts: readonly Part[],
    work: (tables: readonly string[] | undefined) => Promise<T>,
  ): Promise<T> {
    const { kept } = session;
    if (kept === undefined || parts.length === 0 || !this.#isAskedAgain(relations)) return work(undefined);
    const tables = this.#tablesOf(kept);
    const held: Table[] = [];
    try {
      for (const relation of relations) {
        const table = await this.#tableOf(session, tables, relation, parts);
        if (table === undefined) break;
        held.push(table);
      }
      return await work(held.length < relations.length ? undefined : held.map(({ name }) => name));
    } finally {
      for (const table of held) table.readers -= 1;
      await dropRetired(session, tables);
    }
  }

  #tablesOf(kept: object): Tables {
    const tables: Tables = this.#tables.get(kept) ?? {
      ...{ known: new Map<string, Table>(), retired: new Set<Table>() },
      forgotten: this.#forgotten,
    };
    this.#tables.set(kept, tables);
    const isForgotten = tables.forgotten !== this.#forgotten;
    tables.forgotten = this.#forgotten;
    for (const [name, table] of tables.known) {
      if (!isForgotten && table.usedAtMs > this.#nowMs() - UNUSED_MS) continue;
      tables.known.delete(name);
      if (table.isThere) tables.retired.add(table);
    }
    return tables;
  }

  #nowMs(): number {
    return this.settings.nowMs?.() ?? performance.now();
  }

  #isAskedAgain(relations: readonly KeptRelation<never>[]): boolean {
    const hash = createHash('sha256').update(relations.map(({ name }) => name).join('\n'));
    const name = hash.digest('base64');
    const isKnown = this.#asked.delete(name);
    this.#asked.add(name);
    const [oldest] = this.#asked;
    if (this.#asked.size > REMEMBERED_NAMES && oldest !== undefined) this.#asked.delete(oldest);
    return isKnown || this.settings.keepsAtOnce === true;
  }

  /**
   * With one reader more. Of parts that are all but some of those asked for, as an hour later, only the others are
   * read.
   */
  async #tableOf<Part extends LastingPart>(
    session: DuckSession,
    tables: Tables,
    relation: KeptRelation<Part>,
    parts: readonly Part[],
  ): Promise<Table | undefined> {
    const known = tables.known.get(relation.name);
    const asked = new Set(parts.map(({ key }) => key));
    const isOfThese = known !== undefined && [...known.parts].every((key) => asked.has(key));
    // Of more files there are more rows.
    if (isOfThese && (known.parts.size === asked.size || !known.isThere)) {
      tables.known.delete(relation.name);
      tables.known.set(relation.name, known);
      known.usedAtMs = this.#nowMs();
      return readBy(known);
    }
    const grown = isOfThese && relation.isFinal !== true ? readBy(known) : undefined;
    try {
      const made = await this.#make(session, tables, relation, { parts, grown });
      this.#keep(tables, relation.name, made);
      return readBy(made);
    } catch (error) {
      if (session.signal?.aborted === true || !isOfDuckDb(error)) throw error;
      // Without it visits are read, as ever.
      return undefined;
    } finally {
      if (grown !== undefined) grown.readers -= 1;
    }
  }

  async #make<Part extends LastingPart>(
    session: DuckSession,
    { retired }: Tables,
    { read, merged, bytes }: KeptRelation<Part>,
    { parts, grown }: { parts: readonly Part[]; grown: Table | undefined },
  ): Promise<Table> {
    const name = `kept_${(this.#made += 1)}`;
    const added = parts.filter(({ key }) => grown?.parts.has(key) !== true);
    const { mostBytes } = this.settings;
    const rowsAtMost = Math.ceil(mostBytes / ROW_BYTES);
    const table = { name, parts: new Set(parts.map(({ key }) => key)), readers: 0, usedAtMs: this.#nowMs() };
    let rowsBytes = Infinity;
    try {
      await read(added, (rows) => {
        const all = grown === undefined ? rows : `(${rows}) UNION ALL (FROM ${grown.name})`;
        return session.run(`CREATE TABLE ${name} AS SELECT * FROM (${merged(all)}) LIMIT ${rowsAtMost + 1}`);
      });
      const sizeOf = `SELECT coalesce(${bytes}, 0)::DOUBLE AS bytes FROM ${name}`;
      rowsBytes = (await session.rows<{ bytes: number }>(sizeOf))[0]?.bytes ?? 0;
    } finally {
      // Also where it is not known how far it came.
      if (TABLE_BYTES + rowsBytes > mostBytes) retired.add(table);
    }
    const isThere = TABLE_BYTES + rowsBytes <= mostBytes;
    return { ...table, bytes: TABLE_BYTES + (isThere ? rowsBytes : 0), isThere };
  }

  /** In the place of what was known; then the longest unused go until there is room. */
  #keep({ known, retired }: Tables, name: string, made: Table): void {
    const before = known.get(name);
    if (before?.isThere === true) retired.add(before);
    known.delete(name);
    known.set(name, made);
    let bytes = [...known.values()].reduce((sum, table) => sum + table.bytes, 0);
    for (const [oldest, table] of known) {
      if (bytes <= this.settings.mostBytes) return;
      known.delete(oldest);
      bytes -= table.bytes;
      if (table.isThere) retired.add(table);
    }
  }
}

function isOfDuckDb(error: unknown): boolean {
  return DUCK_ERRORS.some((code) => isAppError(error, code));
}

/** undefined: there is no table to read. */
function readBy(table: Table): Table | undefined {
  if (!table.isThere) return undefined;
  table.readers += 1;
  return table;
}

/** What is not dropped now, since the question has ended, is by the next one. */
async function dropRetired(session: DuckSession, { retired }: Tables): Promise<void> {
  if (session.signal?.aborted === true) return;
  const failed: Pick<Table, 'name' | 'readers'>[] = [];
  for (const table of retired) {
    if (table.readers > 0) continue;
    retired.delete(table);
    // Else the next question does it.
    await session.run(`DROP TABLE IF EXISTS ${table.name}`).catch(() => failed.push(table));
  }
  for (const table of failed) retired.add(table);
}
