import { type Database, loadSql } from '@hopcount/postgres';
import { AppError, type Reach } from '@hopcount/runtime';

import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from '../store/link-record.js';
import { spellCode, spellDomain, spellGroup, spellTag } from '../store/names.js';
import { groupNotFound } from './group-errors.js';
import { formsOf } from './stored-groups.js';

const FIND_DOMAIN = loadSql(import.meta.url, 'sql/find-domain.sql');
const FIND_TAG = loadSql(import.meta.url, 'sql/find-tag.sql');
const FIND_GROUP = `SELECT WHERE EXISTS (SELECT FROM groups WHERE id = $1)
  OR EXISTS (SELECT FROM scope_traffic WHERE scope = 'group' AND scope_id = $1)`;
const ADDRESSES = `SELECT links.id, links.code, domains.authority AS domain
  FROM links JOIN domains ON domains.id = links.domain_id WHERE links.id = ANY ($1::bigint[])`;

interface DomainName {
  id: number;
  authority: string;
}

const SELECT_BY_ID = `${SELECT_LINKS} WHERE links.id = ANY ($1::bigint[])`;

/** What names of domains and tags stand for, and where links are reached, deleted ones too. */
export class LinkDirectory {
  constructor(private readonly database: Database) {}

  /** `DEFAULT` is the default domain. @throws AppError `domain-not-found` */
  async domain(reach: Reach, name: string): Promise<DomainName> {
    const found = await this.findDomain(reach, name);
    if (found !== undefined) return found;
    throw new AppError('domain-not-found', `There is no domain "${name}".`, { details: { authority: name } });
  }

  /** The default domain is no secret; any other is there for whoever reaches a link of it. */
  async findDomain(reach: Reach, name: string): Promise<DomainName | undefined> {
    if (!isStorable(name)) return undefined;
    const [row] = await this.database.query<DomainName>(FIND_DOMAIN, [spellDomain(name), ...reach.values]);
    return row;
  }

  /** @throws AppError `tag-not-found` */
  async tagId(reach: Reach, name: string): Promise<number> {
    const tag = isStorable(name) ? spellTag(name) : null;
    const [row] = await this.database.query<{ id: number }>(FIND_TAG, [tag, ...reach.values]);
    if (row !== undefined) return row.id;
    throw new AppError('tag-not-found', `There is no tag "${name}".`, { details: { tag: name } });
  }

  /** A group by its id; one that is gone has its visits still. @throws AppError `group-not-found`, `beyond-role` */
  async visitedGroup(reach: Reach, given: string): Promise<string> {
    if (reach.groups === null) reach.expectWhole('ask for the visits of a group');
    for (const id of formsOf(given)) {
      if (reach.groups !== null && !reach.holdsGroup(id)) continue;
      if ((await this.database.query(FIND_GROUP, [id])).length > 0) return id;
    }
    throw groupNotFound(spellGroup(given));
  }

  /** Of all domains, whoever reaches them: who hands on what is found has to ask `Reach.holds`. */
  async linkIds(codes: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>('SELECT id FROM links WHERE code = ANY ($1::text[])', [
      codes.map(spellCode),
    ]);
    return rows.map(({ id }) => id);
  }

  async links(ids: readonly string[]): Promise<LinkRecord[]> {
    return (await this.database.query<LinkRow>(SELECT_BY_ID, [ids])).map(linkFromRow);
  }

  /** By link id; unknown links have none. */
  async addresses(linkIds: readonly string[]): Promise<Map<string, { domain: string; code: string }>> {
    const rows = await this.database.query<{ id: string; code: string; domain: string }>(ADDRESSES, [linkIds]);
    return new Map(rows.map(({ id, code, domain }) => [id, { domain, code }]));
  }
}

/** What no tag can be called names none. */
function isStorable(name: string): boolean {
  return name.length <= 256 && !/[\u0000\p{Cs}]/u.test(name);
}
