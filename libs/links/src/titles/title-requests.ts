import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { normalizeTitle } from '../store/link-fields.js';

const REQUEST_TITLES = loadSql(import.meta.url, 'sql/request-titles.sql');
const CANCEL_REQUEST = 'UPDATE link_titles SET due_at = NULL WHERE link_id = $1 AND due_at IS NOT NULL';
const TAKE_TITLES = loadSql(import.meta.url, 'sql/take-titles.sql');
const WRITE_TITLE = loadSql(import.meta.url, 'sql/write-title.sql');
const DROP_REQUEST = 'DELETE FROM link_titles WHERE link_id = $1 AND due_at = $2::timestamptz';
/** As edits lock them: the link before its request. */
const LOCK_LINK = 'SELECT FROM links WHERE id = $1 FOR UPDATE';

/** Of one target: a minute, ten minutes after the first. */
const MAX_ATTEMPTS = 3;

export interface TitleRequest {
  linkId: string;
  longUrl: string;
  /** Names the request. */
  dueAt: string;
}

/** In the transaction that created the links without titles, or gave a link another target and no title. */
export async function requestTitles(tx: Transaction, linkIds: readonly string[]): Promise<void> {
  if (linkIds.length > 0) await tx.query(REQUEST_TITLES, [linkIds]);
}

/** In the transaction in which its owner gave it a title, or none. */
export async function cancelTitleRequest(tx: Transaction, linkId: string): Promise<void> {
  await tx.query(CANCEL_REQUEST, [linkId]);
}

/** Links that wait for a title. A request ends with `write` or `drop`; one that is not ended comes again later. */
export class TitleRequests {
  constructor(private readonly database: Database) {}

  /** Each request is one taker's for a minute at least. */
  async take(limit: number): Promise<TitleRequest[]> {
    const rows = await this.database.query<{
      link_id: string;
      due_at: string;
      attempts: number;
      long_url: string;
      is_deleted: boolean;
    }>(TAKE_TITLES, [limit]);
    const requests: TitleRequest[] = [];
    for (const { link_id: linkId, due_at: dueAt, attempts, long_url: longUrl, is_deleted: isDeleted } of rows) {
      // More attempts than may fail: the ones before ended with their process.
      if (isDeleted || attempts > MAX_ATTEMPTS) await this.drop({ linkId, dueAt, longUrl });
      else requests.push({ linkId, dueAt, longUrl });
    }
    return requests;
  }

  /** False when nobody wants it any more: the link has a title, another target, or is gone. */
  write({ linkId, dueAt }: TitleRequest, title: string): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await tx.query(LOCK_LINK, [linkId]);
      const rows = await tx.query(WRITE_TITLE, [linkId, dueAt, normalizeTitle(title)]);
      return rows.length > 0;
    });
  }

  /** There is no title to be had. */
  async drop({ linkId, dueAt }: TitleRequest): Promise<void> {
    await this.database.query(DROP_REQUEST, [linkId, dueAt]);
  }
}
