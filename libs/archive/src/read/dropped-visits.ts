import type { Transaction } from '@hopcount/postgres';
import { type AppError, isAppError } from '@hopcount/runtime';

import type { DuckSession } from '../duckdb/duck-database.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { ArchiveManifest } from '../manifest/archive-manifest.js';
import { countFiled, type FiledPage, type FiledQuestion, filedVisits, listFiled, nextFiled } from './filed-visits.js';
import { unreadable } from './unreadable.js';

/** Nobody else knows what these files hold. */
const NOT_NOW = [
  'archive-store-away',
  'archive-cache-full',
  'archive-folder-missing',
  'archive-engine-failed',
  'archive-file-changed',
] as const;

export interface FileSessions {
  /** undefined: no file can be read. What cannot be is looked at again, and left out, before it fails. */
  inFiles<T>(
    files: readonly ArchiveFile[],
    work: (session: DuckSession, paths: readonly string[]) => Promise<T>,
  ): Promise<T | undefined>;
}

/** Visits, of one link or of many, in ranges that the ledger dropped: files are all there is. */
export class DroppedVisits {
  constructor(
    private readonly manifest: Pick<ArchiveManifest, 'files'>,
    private readonly sessions: FileSessions,
  ) {}

  /** @throws AppError `archive-question-too-large`, `archive-unreadable` */
  async count(tx: Transaction, question: FiledQuestion): Promise<number> {
    const [row] = await this.#ask<{ visits: number }>(tx, question, countFiled);
    return row?.visits ?? 0;
  }

  /** Newest first; `columns` select what is wanted of them. @throws as `count` */
  async list<Row>(tx: Transaction, question: FiledQuestion, columns: string, page: FiledPage): Promise<Row[]> {
    return this.#ask(tx, question, (visits) => listFiled(visits, columns, page));
  }

  /** Oldest first: the first so many whose event id is above `after`. @throws as `count` */
  async next<Row>(
    tx: Transaction,
    question: FiledQuestion,
    columns: string,
    page: { after: string; limit: number },
  ): Promise<Row[]> {
    return this.#ask(tx, question, (visits) => nextFiled(visits, columns, page));
  }

  async #ask<Row>(tx: Transaction, question: FiledQuestion, toSql: (visits: string) => string): Promise<Row[]> {
    if (question.linkIds?.length === 0) return [];
    const listed = await this.manifest.files(question, tx);
    try {
      const rows = await this.sessions.inFiles(listed, async (session, paths) =>
        session.rows<Row>(toSql(await filedVisits(tx, paths, question))),
      );
      return rows ?? [];
    } catch (error) {
      throw NOT_NOW.some((code) => isAppError(error, code)) ? unreadable(error as AppError) : error;
    }
  }
}
