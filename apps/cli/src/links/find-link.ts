import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const FIND_LINKS = loadSql(import.meta.url, 'sql/find-links-by-code.sql');

/**
 * Id of the link with that code, deleted ones included: their visits stay counted.
 * @throws AppError `no-such-link`, or `ambiguous-code` when several domains have it and none is named.
 */
export async function findLinkId(database: Database, code: string, domain: string | undefined): Promise<string> {
  const { DEFAULT_DOMAIN_NAME, spellCode, spellDomain } = await import('@hopcount/links');
  const links = await database.query<{ id: string; authority: string }>(FIND_LINKS, [
    spellCode(code),
    domain === undefined ? null : (spellDomain(domain) ?? DEFAULT_DOMAIN_NAME),
  ]);
  const [first, ...others] = links;
  if (first === undefined) {
    const where = domain === undefined ? '' : ` on ${domain}`;
    throw new AppError('no-such-link', `There is no link ${code}${where}.`);
  }
  if (others.length > 0) {
    const domains = links.map((link) => link.authority).join(', ');
    throw new AppError('ambiguous-code', `${code} exists on several domains (${domains}): name one with --domain.`);
  }
  return first.id;
}
