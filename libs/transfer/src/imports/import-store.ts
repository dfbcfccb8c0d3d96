import { type Database, loadSql } from '@hopcount/postgres';
import { parseAuthority, spellDomain } from '@hopcount/links';
import { AppError, isAppError, Reach } from '@hopcount/runtime';

import type { ImportSource } from '../sources/sources.js';
import type { Remark } from './chunk-report.js';
import { plainBytes } from './plain-bytes.js';
import { EncodingDetector, parseCharset } from './text-encoding.js';

const TAKE_NEXT = loadSql(import.meta.url, 'sql/take-next-import.sql');
const END_IMPORT = loadSql(import.meta.url, 'sql/end-import.sql');
const COLUMNS = `id, source, name, domain, charset, changes_links AS "changesLinks", state, bytes::float8 AS bytes,
  rows_done::float8 AS "rowsDone", created::float8 AS created, updated::float8 AS updated, existing::float8 AS unchanged,
  skipped::float8 AS refused, visits::float8 AS visits, existing_visits::float8 AS "existingVisits", reasons, failure,
  author_key_id AS "authorKeyId", created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt"`;
const FIND = `SELECT ${COLUMNS} FROM imports WHERE id = $1`;
const REMARKS = `SELECT place::text AS place, row::float8 AS row, line::float8 AS line, field, reason, detail
  FROM import_skips WHERE import_id = $1 AND place > $2 ORDER BY import_skips.place LIMIT $3`;
const REMARK_CHARSET = `WITH assumed AS (
    UPDATE imports SET reasons = '{"charset-assumed": 1}' WHERE id = $1 RETURNING id
  ) INSERT INTO import_skips (import_id, row, field, reason, detail)
  SELECT id, 0, 'charset', 'charset-assumed', $2 FROM assumed`;
const ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('begin-import'))";
const OPEN = `SELECT id::text AS id, author_key_id IS NOT DISTINCT FROM $1 AS "isOwn" FROM imports
  WHERE state IN ('uploading', 'waiting', 'running') ORDER BY id`;
const BEGIN = `INSERT INTO imports (source, name, domain, author_key_id, changes_links)
  VALUES ($1, $2, $3, $4, $5) RETURNING id`;
const ADD_PART = 'INSERT INTO import_parts (import_id, part, bytes) VALUES ($1, $2, $3)';
const READ_PART = 'SELECT bytes FROM import_parts WHERE import_id = $1 AND part = $2';
const UPLOADED = `UPDATE imports SET state = 'waiting', bytes = $2, charset = $3 WHERE id = $1 AND state = 'uploading'`;

const FORGET_IDENTITIES = loadSql(import.meta.url, 'sql/forget-identities.sql');
const IDENTITIES_AT_ONCE = 20_000;
const PART_BYTES = 256 * 1_024;
const MAX_NAME_LENGTH = 100;
const REMARKS_AT_ONCE = 1_000;

export type ImportState = 'uploading' | 'waiting' | 'running' | 'done' | 'failed';

export interface ImportRow {
  /** Decimal text. */
  id: string;
  source: ImportSource;
  name: string;
  domain: string | null;
  /** Of the file. */
  charset: string;
  /** Links that are here already get title, note and tags of their row. */
  changesLinks: boolean;
  state: ImportState;
  bytes: number;
  /** Rows of the file that are dealt with: the sum of the next four. */
  rowsDone: number;
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Visits that it counted, and that were here already: among those that are created, and unchanged. */
  visits: number;
  existingVisits: number;
  /** How often each thing was refused, or left out of a row that is taken. */
  reasons: Record<string, number>;
  failure: string | null;
  /** The key that brought the file: its links' author. */
  authorKeyId: number | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface NewImport {
  source: ImportSource;
  /** The installation it is of; two imports of one name know each other's links. */
  name: string;
  /** Where links go that name no domain; null: the default one. */
  domain: string | null;
  /** In which the file is declared to be; null: it is found out. */
  charset?: string | null;
  /** As {@link ImportRow.changesLinks}. */
  changesLinks?: boolean;
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
   * Keeps the file, unpacked, piece by piece; a worker takes it from there.
   * @param most not given: an operator's command is never refused
   * @throws AppError `invalid-data`, `unreadable-file` (its bytes are no text, or of another character set),
   * `import-too-large`, `beyond-role`, `too-many-imports`; what `bytes` throws
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
    const detector = new EncodingDetector(given.charset ?? null);
    if (given.charset != null) parseCharset(given.charset);
    const id = await this.#begin(reach, checked(given), most);
    try {
      let [part, size] = [0, 0];
      for await (const piece of inPieces(plainBytes(bytes, maxBytes))) {
        size += piece.length;
        detector.push(piece);
        await this.database.query(ADD_PART, [id, (part += 1), piece]);
      }
      const { charset, isAssumed } = detector.end();
      if (isAssumed) await this.database.query(REMARK_CHARSET, [id, assumed(charset)]);
      await this.database.query(UPLOADED, [id, size, charset]);
    } catch (error) {
      const why = isAppError(error) ? error.message : 'The file did not arrive whole.';
      await this.end(id, why).catch(() => undefined); // the first error is the one that matters
      throw error;
    }
    return this.get(reach, id);
  }

  #begin(
    { keyId }: Reach,
    { source, name, domain, changesLinks = false }: NewImport,
    most?: MostOpen,
  ): Promise<string> {
    return this.database.transaction(async (tx) => {
      if (most !== undefined) {
        await tx.query(ONE_AT_A_TIME);
        expectFew(await tx.query<OpenImport>(OPEN, [keyId]), most);
      }
      const [begun] = await tx.query<{ id: string }>(BEGIN, [source, name, domain, keyId, changesLinks]);
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
  remarksOf(id: string): Promise<Remark[]> {
    return this.#remarksAfter(id, '0');
  }

  /** All that are kept (see advance-import.sql), in pieces, as far as they are now. */
  async *report(id: string): AsyncGenerator<Remark[]> {
    for (let after = '0'; ;) {
      const piece = await this.#remarksAfter(id, after);
      yield piece;
      if (piece.length < REMARKS_AT_ONCE) return;
      after = piece.at(-1)?.place ?? after;
    }
  }

  #remarksAfter(id: string, after: string): Promise<(Remark & { place: string })[]> {
    return this.database.query(REMARKS, [id, after, REMARKS_AT_ONCE]);
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

function checked({ name, domain, ...given }: NewImport): NewImport {
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new AppError('invalid-data', `A name has 1 to ${MAX_NAME_LENGTH} visible characters.`, {
      details: { invalidElements: ['name'] },
    });
  }
  return { ...given, name, domain: domain === null || spellDomain(domain) === null ? null : parseAuthority(domain) };
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

/** What the report says of a character set that nothing names. */
export function assumed(charset: string): string {
  return `The file is not UTF-8 and names no character set, so it was read as ${charset}. If characters are wrong, import it again and name its character set.`;
}
