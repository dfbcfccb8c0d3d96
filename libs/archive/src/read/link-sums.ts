import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';

type File = Pick<LocalFile<ArchiveFile>, 'id' | 'local' | 'stamp' | 'visits'>;

/** What is known of some files as wholes. */
export interface KnownLinks {
  files: ReadonlySet<string>;
  /** DuckDB: a relation of link_id, class and visits. */
  relation: string;
}

/** Rows of a table: a file, a link and a class each; 17 bytes in DuckDB's memory, 51 MB. */
const MOST_ROWS = 3_000_000;

/** It is only added to, and dropped once nobody reads it: whoever reads it finds all that it had of a file. */
interface Table {
  name: string;
  /** By id and stamp (see keyOf()); of those with more rows than there was room for, nothing is in the table. */
  files: Map<string, { number: number; rows: number; isIn: boolean }>;
  rows: number;
  readers: number;
  isRetired: boolean;
  /** Files are added one after the other. */
  adding: Promise<unknown>;
}

/**
 * Visits by link and class of files that count as wholes, in the database that a reader keeps open: adding up these is a
 * tenth of the work of reading the visits. While nobody writes to a file its sums stay; what is known of one belongs to its stamp.
 */
export class LinkSums {
  readonly #tables = new WeakMap<object, Table>();
  #made = 0;

  constructor(private readonly mostRows = MOST_ROWS) {}

  /** @param work is given what is known of some of the files; undefined: of none */
  async use<T>(
    session: DuckSession,
    files: readonly File[],
    work: (known: KnownLinks | undefined) => Promise<T>,
  ): Promise<T> {
    const table = files.length === 0 ? undefined : await this.#tableFor(session, files);
    if (table === undefined) return work(undefined);
    table.readers += 1;
    try {
      await this.#add(session, table, files);
      return await work(table.isRetired ? undefined : knownOf(table, files));
    } finally {
      table.readers -= 1;
      await dropUnread(session, table);
    }
  }

  /** One without room, most of which is of other files, as of those that were merged since, makes way for a new one. */
  async #tableFor(session: DuckSession, files: readonly File[]): Promise<Table | undefined> {
    const { kept } = session;
    if (kept === undefined) return undefined;
    const table = this.#tables.get(kept);
    if (table !== undefined && !this.#isInTheWay(table, files)) return table;
    const name = `link_sums_${(this.#made += 1)}`;
    const adding = session.run(`CREATE TABLE ${name} (file INTEGER, link_id BIGINT, class UTINYINT, visits INTEGER)`);
    const made: Table = { name, files: new Map(), rows: 0, readers: 0, isRetired: false, adding };
    this.#tables.set(kept, made);
    if (table !== undefined) {
      table.isRetired = true;
      await dropUnread(session, table);
    }
    return made;
  }

  #isInTheWay({ files: known, rows }: Table, files: readonly File[]): boolean {
    const asked = files.reduce((sum, file) => sum + (known.get(keyOf(file))?.rows ?? 0), 0);
    // A file has as many rows as visits at most.
    const wanted = files.reduce((sum, file) => sum + (known.has(keyOf(file)) ? 0 : file.visits), 0);
    return rows + wanted > this.mostRows && asked < rows / 2;
  }

  /** Fails only where the question has ended: without sums the files are read. */
  async #add(session: DuckSession, table: Table, files: readonly File[]): Promise<void> {
    const added = table.adding.then(async () => {
      for (const file of files) {
        if (!table.isRetired && !table.files.has(keyOf(file))) await this.#addFile(session, table, file);
      }
    });
    table.adding = added.catch(() => undefined);
    try {
      await added;
    } catch (error) {
      // Nobody knows whether the rows of the last file are in.
      table.isRetired = true;
      if (session.kept !== undefined && this.#tables.get(session.kept) === table) this.#tables.delete(session.kept);
      if (session.signal?.aborted === true) throw error;
    }
  }

  async #addFile(session: DuckSession, table: Table, file: File): Promise<void> {
    const { local, visits } = file;
    const number = table.files.size;
    const room = this.mostRows - table.rows;
    const sums = `SELECT ${number}, link_id, class, count(*) FROM read_parquet(${quoteList([local])}) GROUP BY link_id, class`;
    const isIn = visits <= room || (await countOf(session, `${sums} LIMIT ${room + 1}`)) <= room;
    if (isIn) await session.run(`INSERT INTO ${table.name} ${sums}`);
    const rows = isIn ? await countOf(session, `FROM ${table.name} WHERE file = ${number}`) : 0;
    table.files.set(keyOf(file), { number, rows, isIn });
    table.rows += rows;
  }
}

function keyOf({ id, stamp }: Pick<File, 'id' | 'stamp'>): string {
  return `${id} ${stamp}`;
}

/** What cannot be dropped goes with the database. */
async function dropUnread(session: DuckSession, { name, isRetired, readers }: Table): Promise<void> {
  if (!isRetired || readers > 0 || session.signal?.aborted === true) return;
  await session.run(`DROP TABLE IF EXISTS ${name}`).catch(() => undefined); // as above
}

async function countOf(session: DuckSession, relation: string): Promise<number> {
  const [row] = await session.rows<{ rows: number }>(`SELECT count(*)::DOUBLE AS rows FROM (${relation})`);
  return row?.rows ?? 0;
}

function knownOf(table: Table, files: readonly File[]): KnownLinks | undefined {
  const known = files.filter((file) => table.files.get(keyOf(file))?.isIn === true);
  if (known.length === 0) return undefined;
  const numbers = known.map((file) => table.files.get(keyOf(file))?.number);
  const isAll = known.length === table.files.size;
  const relation = isAll ? table.name : `(FROM ${table.name} WHERE file IN (${numbers.join(', ')}))`;
  return { files: new Set(known.map(({ id }) => id)), relation };
}
