import type { SharedView } from '@hopcount/identities';
import { spellCode, spellDomain, spellGroup, spellTag } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import { normalizeQuery } from '../../http/input.js';

/** The page that shows the view; the token stands behind a `#`, which browsers send to nobody. */
const SHARE_PAGE = '/share';
/** Names of headers are in lower case here. */
export const SHARE_HEADER = 'x-share-token';
/** Where a question names dimensions, beside its filters. */
const DIMENSION_NAMES = ['rows', 'columns'] as const;

const SCOPE = ['domain', 'tag', 'group', 'shortCode'] as const;
const SPELLED: Record<(typeof SCOPE)[number], (name: string) => string | null> = {
  domain: spellDomain,
  tag: spellTag,
  group: spellGroup,
  shortCode: spellCode,
};

/** What the page says of the view, in its address, is what it asks: the api has to be told no more than that. */
export function sharePageOf(view: SharedView, token: string): string {
  const query = new URLSearchParams();
  for (const name of SCOPE) if (view[name] !== null) query.set(name, view[name]);
  for (const filter of view.filters) query.append('filter', filter);
  const text = query.toString();
  return `${SHARE_PAGE}${text === '' ? '' : `?${text}`}#${token}`;
}

/**
 * Whoever has the link asks for its view as it is, of any time: neither for other visits, nor for fewer, which two questions
 * could tell apart; and never for addresses of visitors. @throws AppError `missing-scope`
 */
export function expectShared(view: SharedView, { query, params }: Pick<FastifyRequest, 'query' | 'params'>): void {
  const asked = normalizeQuery(query);
  const isScope = SCOPE.every((name) => isSameName(name, textOf(asked[name]), view[name]));
  const filters = [asked['filter'] ?? []].flat().filter((text) => text !== '');
  const isFiltered = distinct(filters) === distinct(view.filters);
  const isOfVisits = ['', 'false'].includes(textOf(asked['orphans']) ?? '');
  const isOfAllHosts = textOf(asked['host']) === null;
  const { name } = (params ?? {}) as { name?: string };
  const isOfAddresses = [name, ...DIMENSION_NAMES.map((side) => asked[side])].flat().includes('ip');
  if (isScope && isFiltered && isOfVisits && isOfAllHosts && !isOfAddresses) return;
  throw new AppError('missing-scope', 'This share link shows another view.', { details: { scope: 'statistics:read' } });
}

function isSameName(name: (typeof SCOPE)[number], asked: string | null, shared: string | null): boolean {
  if (asked === null || shared === null) return asked === shared;
  return SPELLED[name](asked) === SPELLED[name](shared);
}

function textOf(value: string | string[] | undefined): string | null {
  const text = [value ?? ''].flat().join('\u0000').trim();
  return text === '' ? null : text;
}

/** The same filter twice is that filter: the page leaves the second one out. */
function distinct(texts: readonly string[]): string {
  return JSON.stringify([...new Set(texts)].sort());
}
