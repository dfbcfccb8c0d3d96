import { loadSql, type Queryable } from '@hopcount/postgres';

const LIST_CRAWLABLE = loadSql(import.meta.url, 'sql/list-crawlable.sql');

export interface CrawlableLink {
  code: string;
  /** Whether addresses below the code lead somewhere, too. */
  takesPath: boolean;
}

/** Links of a domain that search engines may follow, newest first, at most so many. */
export function listCrawlable(database: Queryable, domain: string, atMost: number): Promise<CrawlableLink[]> {
  return database.query<CrawlableLink>(LIST_CRAWLABLE, [domain, atMost]);
}
