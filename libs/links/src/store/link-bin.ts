import { type Database, loadSql, type Queryable, type Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { changeLinks } from '../outbox/change-links.js';
import type { LinkOutbox } from '../outbox/link-outbox.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';
import type { LinkStore } from './link-store.js';
import { spellCode, spellDomain } from './names.js';

const RESTORE_LINK = loadSql(import.meta.url, 'sql/restore-link.sql');
const LOCK_USES = loadSql(import.meta.url, 'sql/lock-uses.sql');
const EMPTY_LINK = loadSql(import.meta.url, 'sql/empty-link.sql');
/** $1 authority, $2 any domain, $3 to $5 reach, $6 how many, $7 after how many. */
const IN_BIN = `links.deleted_at IS NOT NULL AND links.purged_at IS NULL
  AND within_reach(links.author_key_id, links.domain_id, links.group_id, $3, $4, $5)
  AND ($2 OR links.domain_id = (SELECT id FROM domains WHERE authority = $1 OR ($1::text IS NULL AND is_default)))`;
const LIST_BIN = `SELECT links.*, page.deleted_at FROM (${SELECT_LINKS}) AS links
  JOIN (
    SELECT id, deleted_at FROM links WHERE ${IN_BIN} ORDER BY deleted_at DESC, id DESC LIMIT $6 OFFSET $7
  ) AS page USING (id)
  ORDER BY page.deleted_at DESC, id DESC`;
const COUNT_BIN = `SELECT count(*) AS number FROM links WHERE ${IN_BIN}`;

/** For the statements: authority, code and reach. */
type Named = [string | null, string, ...Reach['values']];

/** What else is said of a link; its limit first, so that no use is taken any more when those that were go. */
const TABLES_BESIDE = ['link_tags', 'link_titles', 'link_limits', 'link_uses'];

export interface DeletedLink extends LinkRecord {
  deletedAt: Date;
}

export interface BinQuery {
  reach: Reach;
  /** null: any; `DEFAULT` or an authority. */
  domain: string | null;
  offset: number;
  limit: number;
}

/**
 * Deleted links, until they are restored or purged. A purged one leaves a row with nothing but its code, which is never
 * given to another link: copies of the old one, and visits on their way, could not be told from the new one's.
 */
export class LinkBin {
  constructor(
    private readonly database: Database,
    private readonly links: LinkStore,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
  ) {}

  /** Last deleted first. */
  async list({ reach, domain, offset, limit }: BinQuery): Promise<{ links: DeletedLink[]; totalItems: number }> {
    const ofDomain = [domain === null ? null : spellDomain(domain), domain === null, ...reach.values];
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: string }>(COUNT_BIN, ofDomain);
        const rows = await tx.query<LinkRow & { deleted_at: Date }>(LIST_BIN, [...ofDomain, limit, offset]);
        const links = rows.map((row) => ({ ...linkFromRow(row), deletedAt: row.deleted_at }));
        return { links, totalItems: Number(count?.number) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** As it was, with its visits. @throws AppError `short-url-not-found` */
  async restore(reach: Reach, code: string, domain: string | null): Promise<LinkRecord> {
    await this.#change(reach, code, domain, (tx, named) => tx.query<{ id: string }>(RESTORE_LINK, named));
    return this.links.get(reach, code, domain);
  }

  /**
   * Takes a link out of the bin for good. `mark` notes, in the same transaction, that its visits are to go.
   * @throws AppError `short-url-not-found`
   */
  async purge<Mark>(
    reach: Reach,
    code: string,
    domain: string | null,
    mark: (tx: Queryable, id: string) => Promise<Mark>,
  ) {
    return this.#change(reach, code, domain, async (tx, named) => {
      await tx.query(LOCK_USES, named);
      const rows = await tx.query<{ id: string }>(EMPTY_LINK, named);
      const marks: Mark[] = [];
      for (const { id } of rows) {
        for (const table of TABLES_BESIDE) await tx.query(`DELETE FROM ${table} WHERE link_id = $1`, [id]);
        marks.push(await mark(tx, id));
      }
      return marks;
    });
  }

  async #change<Result>(
    reach: Reach,
    code: string,
    domain: string | null,
    work: (tx: Transaction, named: Named) => Promise<Result[]>,
  ): Promise<Result> {
    if (code.includes('\u0000')) throw this.links.notFound(code, domain, 'deleted short URL');
    const named: Named = [this.links.nonDefault(domain), spellCode(code), ...reach.values];
    const changes = { database: this.database, outbox: this.outbox };
    const [result] = await changeLinks(
      changes,
      (tx) => work(tx, named),
      (results) => results.length > 0,
    );
    if (result === undefined) throw this.links.notFound(code, domain, 'deleted short URL');
    return result;
  }
}
