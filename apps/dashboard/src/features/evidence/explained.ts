import { formatFilter, parseFilter, type Question } from '../view/view.js';
import type { Scope } from '../statistics/queries.js';

/** Which number is explained: beside what the page looks at, what tells this number from the others on it. */
export interface Explained {
  filters: string[];
  /** Of another scope than the page's. */
  link?: { shortCode: string; domain?: string } | undefined;
  /** Of a part of the range, or of another one: instants, the last one is not in it. */
  from?: string | undefined;
  to?: string | undefined;
}

/** In the address; `all` where nothing tells the number apart. */
interface ExplainedSearch {
  explain?: string | string[] | undefined;
  explainLink?: string | undefined;
  explainFrom?: string | undefined;
  explainTo?: string | undefined;
  /** The page of the visits: goes on behind this one. */
  explainBefore?: string | undefined;
}

const ALL = 'all';
export const NOT_EXPLAINED: ExplainedSearch = {
  explain: undefined,
  explainLink: undefined,
  explainFrom: undefined,
  explainTo: undefined,
  explainBefore: undefined,
};

export function formatExplained({ filters, link, from, to }: Explained): ExplainedSearch {
  return {
    ...NOT_EXPLAINED,
    explain: filters.length === 0 ? ALL : filters,
    ...(link !== undefined && { explainLink: `${link.domain ?? ''}/${link.shortCode}` }),
    ...(from !== undefined && to !== undefined && { explainFrom: from, explainTo: to }),
  };
}

/** Addresses are written by anybody: what is not understood is left out. @returns undefined: no number is explained */
export function parseExplained(search: Record<string, unknown>): Explained | undefined {
  const { explain, explainLink, explainFrom, explainTo } = search;
  const texts = [explain ?? []].flat().filter((one): one is string => typeof one === 'string');
  if (texts.length === 0) return undefined;
  const [, domain = '', shortCode] = /^([^/]*)\/([^]+)$/.exec(typeof explainLink === 'string' ? explainLink : '') ?? [];
  const hasPart = isInstant(explainFrom) && isInstant(explainTo);
  return {
    filters: texts.filter((text) => parseFilter(text) !== undefined),
    ...(shortCode !== undefined && { link: { shortCode, ...(domain !== '' && { domain }) } }),
    ...(hasPart && { from: explainFrom, to: explainTo }),
  };
}

/** What the api is asked for the visits of the number. */
export function toExplainQuestion({ filters, link, from, to }: Explained, scope: Scope, question: Question) {
  const { range, startDate, endDate, 'filter[]': before = [], ...rest } = question;
  const dates = { ...(range && { range }), ...(startDate && { startDate }), ...(endDate && { endDate }) };
  const narrowed = narrow(before, filters);
  return {
    ...rest,
    ...(link ?? scope),
    ...(from !== undefined && to !== undefined ? { startDate: from, endDate: to } : dates),
    ...(narrowed.length > 0 && { 'filter[]': narrowed }),
  };
}

/** Of several values of one name the api lets through any: the one of the number replaces those of the page. */
function narrow(filters: readonly string[], added: readonly string[]): string[] {
  const chosen = new Set(added.map(nameOfIncluded));
  return [...filters.filter((one) => !chosen.has(nameOfIncluded(one) ?? '')), ...added];
}

function nameOfIncluded(text: string): string | undefined {
  const filter = parseFilter(text);
  return filter === undefined || filter.isExcluded ? undefined : filter.dimension;
}

/** The visits with a value. */
export function withValue(dimension: string, value: string): Explained {
  return { filters: [formatFilter({ dimension, isExcluded: false, value })] };
}

/** An address that names them has room for so many characters; gateways before the api refuse ones that are far longer. */
const MOST_CHARACTERS = 4_000;

/** The visits with none of some values: those of "others". undefined: the values are too long to be named. */
export function withoutValues(dimension: string, rows: readonly { value: string }[]): Explained | undefined {
  const filters = rows.map(({ value }) => formatFilter({ dimension, isExcluded: true, value }));
  const characters = encodeURIComponent(filters.join('&explain=')).length;
  return characters > MOST_CHARACTERS ? undefined : { filters };
}

/** The visits of a link. */
export function ofLink(shortCode: string, domain: string | null): Explained {
  return { filters: [], link: { shortCode, ...(domain !== null && { domain }) } };
}

function isInstant(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 40 && !Number.isNaN(Date.parse(value));
}
