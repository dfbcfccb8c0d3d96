import { type Database, loadSql } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { changeLinks } from '../outbox/change-links.js';
import type { LinkOutbox } from '../outbox/link-outbox.js';
import { parseAuthority } from '../store/authority.js';
import type { LinkStore } from '../store/link-store.js';
import { spellDomain } from '../store/names.js';
import { NOT_FOUND_FIELDS, type NotFoundRedirects, parseNotFoundTarget } from '../targets/not-found-target.js';

const LIST_DOMAINS = loadSql(import.meta.url, 'sql/list-domains.sql');
const FIND_DOMAIN = `SELECT authority, is_default AS "isDefault", base_url_redirect AS "baseUrlRedirect",
  regular_404_redirect AS "regular404Redirect", invalid_short_url_redirect AS "invalidShortUrlRedirect"
  FROM domains WHERE authority = $1`;
const FILE_DOMAIN = 'INSERT INTO domains (authority) VALUES ($1) ON CONFLICT (authority) DO NOTHING';
const SET_REDIRECTS = loadSql(import.meta.url, 'sql/set-redirects.sql');
/** Of one list. */
const MAX_DOMAINS = 10_000;

export interface DomainRecord extends NotFoundRedirects {
  authority: string;
  isDefault: boolean;
}

/** What is absent (or undefined) stays as it is; null clears. */
export type RedirectEdit = { [Field in keyof NotFoundRedirects]?: string | null | undefined };

/** Domains, and where they send visitors who found nothing. */
export class DomainSettings {
  constructor(
    private readonly database: Database,
    private readonly links: LinkStore,
    private readonly outbox: Pick<LinkOutbox, 'announce'>,
  ) {}

  /** The default domain, then those with links that are not deleted or with redirects, by name; at most 10,000. */
  async list(reach: Reach): Promise<DomainRecord[]> {
    return this.database.query<DomainRecord>(LIST_DOMAINS, [MAX_DOMAINS, ...reach.values]);
  }

  /**
   * Every gateway follows within a second. A domain that is new is filed: its links stay those of the default domain
   * until it has one of its own.
   * @throws AppError `invalid-data`, `unsafe-target`, `beyond-role`
   */
  async redirect(reach: Reach, domain: string, edit: RedirectEdit): Promise<DomainRecord> {
    const before = await this.find(reach, domain);
    const { authority, isDefault } = before;
    const judge = await this.links.targetJudge();
    const given: Record<string, string | null> = {};
    for (const field of NOT_FOUND_FIELDS) {
      const url = edit[field];
      // What stays is not judged again: it may have been blocked since.
      if (url === undefined || url === before[field]) continue;
      // Not to this domain, either, which may not be filed yet.
      given[field] = url === null ? null : parseNotFoundTarget(url, [...judge.own.near(url), authority], field);
      if (url !== null) judge.refuseBlocked(url, field);
    }
    const changes = { database: this.database, outbox: this.outbox };
    const [record] = await changeLinks(
      changes,
      async (tx) => {
        if (!isDefault) await tx.query(FILE_DOMAIN, [authority]);
        return tx.query<DomainRecord>(SET_REDIRECTS, [isDefault ? null : authority, JSON.stringify(given)]);
      },
      (rows) => rows.length > 0,
    );
    if (record === undefined) throw new Error(`the domain ${authority} is filed and not there`);
    return record;
  }

  /** As it is now; one that nobody filed has no redirects. @throws AppError `invalid-data`, `beyond-role` */
  async find(reach: Reach, domain: string): Promise<DomainRecord> {
    const { authority, isDefault } = this.#changeable(reach, domain);
    const [record] = await this.database.query<DomainRecord>(FIND_DOMAIN, [authority]);
    return (
      record ?? { authority, isDefault, baseUrlRedirect: null, regular404Redirect: null, invalidShortUrlRedirect: null }
    );
  }

  #changeable(reach: Reach, domain: string): { authority: string; isDefault: boolean } {
    const { defaultDomain } = this.links;
    const isDefault = (spellDomain(domain) ?? defaultDomain) === defaultDomain;
    const authority = isDefault ? defaultDomain : parseAuthority(domain);
    // A key of this domain may, one of its own links only may not: they are everybody's.
    if (reach.isAuthored || authority !== reach.domain?.authority) reach.expectWhole('change this domain');
    return { authority, isDefault };
  }
}
