import { type Database, loadSql } from '@hopcount/postgres';
import { parseAuthority } from '@hopcount/links';
import { AppError, Reach } from '@hopcount/runtime';

import type { ImportSource } from '../sources/sources.js';

const TAKE_NEXT = loadSql(import.meta.url, 'sql/take-next-import.sql');
const END_IMPORT = loadSql(import.meta.url, 'sql/end-import.sql');
const COLUMNS = `id, source, name, domain, state, bytes::float8 AS bytes, rows_done::float8 AS "rowsDone",
  created::float8 AS created, existing::float8 AS existing, skipped::float8 AS skipped, visits::float8 AS visits,
  existing_visits::float8 AS "existingVisits", reasons, failure,
  author_key_id AS "authorKeyId", created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt"`;
const FIND = `SELECT ${COLUMNS} FROM imports WHERE id = $1`;
const SKIPS = `SELECT row::float8 AS row, reason, detail FROM import_skips WHERE import_id = $1 ORDER BY place`;
const ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('begin-import'))";
const OPEN = `SELECT id::text AS id, author_key_id IS NOT DISTINCT FROM $1 AS "isOwn" FROM imports
  WHERE state IN ('uploading', 'waiting', 'running') ORDER BY id`;
const BEGIN = `INSERT INTO imports (source, name, domain, author_key_id) VALUES ($1, $2, $3, $4) RETURNING id`;
const ADD_PART = 'INSERT INTO import_parts (import_id, part, bytes) VALUES ($1, $2, $3)';
const READ_PART = 'SELECT bytes FROM import_parts WHERE import_id = $1 AND part = $2';
const UPLOADED = `UPDATE imports SET state = 'waiting', bytes = $2 WHERE id = $1 AND state = 'uploading'`;

const FORGET_IDENTITIES = loadSql(import.meta.url, 'sql/forget-identities.sql');
const IDENTITIES_AT_ONCE = 20_000;
const PART_BYTES = 256 * 1_024;
const MAX_NAME_LENGTH = 100;

export type ImportState = 'uploading' | 'waiting' | 'running' | 'done' | 'failed';

export interface ImportRow {
  /** Decimal text. */
  id: string;
  source: ImportSource;
  name: string;
  domain: string | null;
  state: ImportState;
  bytes: number;
  /** Rows of the file that are dealt with. */
  rowsDone: number;
  created: number;
  existing: number;
  skipped: number;
  /** Visits that it counted, and that were here already. */
  visits: number;
  existingVisits: number;
  /** How often each thing was not taken; of some of them the link was. */
  reasons: Record<string, number>;
  failure: string | null;
  /** The key that brought the file: its links' author. */
  authorKeyId: number | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface ImportSkip {
  row: number;
  reason: string;
  detail: string;
}

export interface NewImport {
  source: ImportSource;
  /** The installation it is of; two imports of one name know each other's links. */
  name: string;
  /** Where links go that name no domain; null: the default one. */
  domain: string | null;
}

/** Imports that have not ended: their files are in PostgreSQL. */
export interface MostOpen {
  ofAll: number;
  /** Of a key; of all who have none (users, commands) together. */
  ofOne: number;
}

/** Imports and their files, in PostgreSQL: whoever is left goes on with one. */
export class ImportStore {
  constructor(private readonly database: Database) {}

  /**
   * Keeps the file, piece by piece; a worker takes it from there.
   * @param most not given: an operator's command is never refused
   * @throws AppError `invalid-data`, `import-too-large`, `beyond-role`, `too-many-imports`; what `bytes` throws
   */
  async upload(
    reach: Reach,
    given: NewImport,
    bytes: AsyncIterable<Buffer>,
    maxBytes: number,
    most?: MostOpen,
  ): Promise<ImportRow> {
    // Imports of one name know each other's links, whoever's they are.
    reach.expectWhole('import links');
    const id = await this.#begin(reach, checked(given), most);
    try {
      let [part, size] = [0, 0];
      for await (const piece of inPieces(bytes)) {
        size += piece.length;
        if (size > maxBytes) throw new AppError('import-too-large', tooLarge(maxBytes));
        await this.database.query(ADD_PART, [id, (part += 1), piece]);
      }
      await this.database.query(UPLOADED, [id, size]);
    } catch (error) {
      await this.end(id, 'The file did not arrive whole.').catch(() => undefined);
      throw error;
    }
    return this.get(reach, id);
  }

  #begin({ keyId }: Reach, { source, name, domain }: NewImport, most?: MostOpen): Promise<string> {
    return this.database.transaction(async (tx) => {
      if (most !== undefined) {
        await tx.query(ONE_AT_A_TIME);
        expectFew(await tx.query<OpenImport>(OPEN, [keyId]), most);
      }
      const [begun] = await tx.query<{ id: string }>(BEGIN, [source, name, domain, keyId]);
      return begun?.id ?? '';
    });
  }

  /** @throws AppError `import-not-found` */
  async get(reach: Reach, id: string): Promise<ImportRow> {
    const [found] = reach.isWhole && /^\d{1,18}$/.test(id) ? await this.database.query<ImportRow>(FIND, [id]) : [];
    if (found !== undefined) return found;
    throw new AppError('import-not-found', `There is no import "${id.slice(0, 32)}".`, {
      details: { import: id.slice(0, 32) },
    });
  }

  /** The first thousand. */
  skipsOf(id: string): Promise<ImportSkip[]> {
    return this.database.query<ImportSkip>(SKIPS, [id]);
  }

  /** The oldest that waits, or that somebody left; undefined: none. */
  async next(): Promise<ImportRow | undefined> {
    const [taken] = await this.database.query<{ id: string }>(TAKE_NEXT);
    return taken === undefined ? undefined : this.get(Reach.everything, taken.id);
  }

  async *read(id: string): AsyncGenerator<Buffer> {
    for (let part = 1; ; part += 1) {
      const [found] = await this.database.query<{ bytes: Buffer }>(READ_PART, [id, part]);
      if (found === undefined) return;
      yield found.bytes;
    }
  }

  /** Ends one that nobody wants, or that waits for what does not come. @throws AppError `import-not-found` */
  async cancel(reach: Reach, id: string): Promise<ImportRow> {
    await this.get(reach, id);
    await this.end(id, 'It was ended before its time.');
    // What a chunk that was under way had added.
    await this.#forgetIdentities(id);
    return this.get(reach, id);
  }

  /** It is done, or failed for that reason; its file goes. */
  async end(id: string, failure: string | null): Promise<void> {
    await this.#forgetIdentities(id);
    await this.database.transaction((tx) => tx.query(END_IMPORT, [id, failure]));
  }

  /** Of millions of visits not in one statement. */
  async #forgetIdentities(id: string): Promise<void> {
    while ((await this.database.query(FORGET_IDENTITIES, [id, IDENTITIES_AT_ONCE])).length > 0);
  }
}

interface OpenImport {
  id: string;
  /** Of the same key, or of none as well. */
  isOwn: boolean;
}

/** @throws AppError `too-many-imports` */
function expectFew(open: readonly OpenImport[], { ofAll, ofOne }: MostOpen): void {
  const own = open.filter(({ isOwn }) => isOwn);
  if (open.length < ofAll && own.length < ofOne) return;
  const message = `At most ${ofAll} imports wait or are under way, ${ofOne} of a key; try again when one has ended, or end one.`;
  throw new AppError('too-many-imports', message, { details: { imports: own.map(({ id }) => id) } });
}

function checked({ source, name, domain }: NewImport): NewImport {
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new AppError('invalid-data', `A name has 1 to ${MAX_NAME_LENGTH} visible characters.`, {
      details: { invalidElements: ['name'] },
    });
  }
  return { source, name, domain: domain === null ? null : parseAuthority(domain) };
}

async function* inPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}

function tooLarge(maxBytes: number): string {
  return `A file may have ${maxBytes / 1_024 / 1_024} MB here. \`hopcount import\` takes larger ones; or cut it in several, a file of visits never between two of the same link and second.`;
}
