import { type Database, loadSql } from '@hopcount/postgres';
import type { RebuildScope } from '@hopcount/ledger';

import { wrongUsage } from '../cli.errors.js';
import { findLinkId } from '../links/find-link.js';

const READ_UNFINISHED = loadSql(import.meta.url, 'sql/read-unfinished.sql');
const FIRST_ID = '0';

/** What the options choose. */
export interface RebuildSelection {
  link?: string;
  domain?: string;
  after?: string;
  upTo?: string;
  all: boolean;
}

/** @throws AppError `wrong-usage` */
export function checkSelection({ link, after, upTo, all }: RebuildSelection): void {
  const ways = [link !== undefined, after !== undefined || upTo !== undefined, all].filter(Boolean).length;
  if (ways !== 1) throw wrongUsage('Name one of --link, --after and --up-to, or --all.');
}

/** @throws AppError `no-such-link`, `ambiguous-code` */
export async function scopeOf(database: Database, selection: RebuildSelection): Promise<RebuildScope> {
  const { link, domain, after, upTo, all } = selection;
  const linkId = link === undefined ? undefined : await findLinkId(database, link, domain);
  return { linkId, after: after ?? FIRST_ID, upTo: upTo ?? null, whole: all };
}

export function isWithin({ linkId, after, upTo }: RebuildScope, id: string): boolean {
  if (linkId !== undefined) return id === linkId;
  return BigInt(id) > BigInt(after) && (upTo === null || BigInt(id) <= BigInt(upTo));
}

/** The selection as the audit row keeps it: with what was left out, so that equal ones are found again. */
export function selectionAsKept({ link, domain, after, upTo, all }: RebuildSelection): Record<string, unknown> {
  return { link: link ?? null, domain: domain ?? null, after: after ?? null, upTo: upTo ?? null, all };
}

/** The last link done by a rebuild of the same selection that was killed or failed; undefined: there is none. */
export async function lastLinkOfUnfinished(
  database: Database,
  selection: RebuildSelection,
): Promise<string | undefined> {
  const [row] = await database.query<{ last_link: string | null }>(READ_UNFINISHED, [
    JSON.stringify(selectionAsKept(selection)),
  ]);
  return row?.last_link ?? undefined;
}
