import {
  BUCKET_MS,
  CLASS_REASONS,
  type Dimension,
  DIRECT,
  DIRECT_HOST,
  ORPHAN_VISIT_TYPES,
  type OrphanDimension,
  UNKNOWN,
  UNKNOWN_HOST,
  VISIT_CLASSES,
  type VisitDimension,
} from '@hopcount/contracts';

import type { Dialect } from './dialect.js';

/** What visits can be grouped by; type and path: orphan visits alone; hasVisitor: `true` or `false`; quarterHour: where it starts, in epoch milliseconds. */
export type GroupedBy =
  VisitDimension | OrphanDimension | HostDimension | HostParentDimension | 'link' | 'hasVisitor' | 'quarterHour';
/** Names that hosts of visits count by, labels reversed: visit_hosts() of PostgreSQL. */
export type HostDimension = 'targetName' | 'referrerName' | 'shortName';
/** What such a name is one label below; '' where it is at the top. */
export type HostParentDimension = 'targetParent' | 'referrerParent' | 'shortParent';

/** The value of a dimension, from columns by which to group first: as they are, DuckDB groups by their dictionaries. */
export interface ValueOfVisit {
  columns: readonly string[];
  value(dialect: Dialect): string;
}

/** Not of visits: relations that are looked at for it have it of their links. */
export const DOMAIN_COLUMN = 'domain';

type Kept = Exclude<Dimension, 'region' | 'city'>;
const KEPT: Record<Kept, string> = {
  country: 'country',
  os: 'os',
  browser: 'browser',
  device: 'device',
  network: 'network',
  referrer: 'referrer_host',
  language: 'language',
};
/** Names of places are not unique: they are told apart by their country. An unknown one is the same everywhere. */
const place = (column: string): ValueOfVisit => ({
  columns: [column, 'country'],
  value: () =>
    `CASE WHEN ${column} = '${UNKNOWN}' OR country = '${UNKNOWN}' THEN ${column} ELSE ${column} || ', ' || country END`,
});
const plain = (column: string): ValueOfVisit => ({ columns: [column], value: () => column });
/** '' where a visit has none. */
const optional = (column: string): ValueOfVisit => ({ columns: [column], value: () => `coalesce(${column}, '')` });
/** Kept as its place in a list. */
const numbered = (column: string, names: readonly string[], other?: string): ValueOfVisit => {
  const cases = names.map((name, number) => `WHEN ${number} THEN '${name}'`).join(' ');
  return {
    columns: [column],
    value: () => `CASE ${column} ${cases} ${other === undefined ? '' : `ELSE '${other}'`} END`,
  };
};
const utm = (name: string): ValueOfVisit => ({
  columns: ['utm'],
  value: (dialect) => `coalesce(${dialect.utm(name)}, '')`,
});

const TARGET_NAME: ValueOfVisit = { columns: ['target_host'], value: ({ hostName }) => hostName('target_host') };
const REFERRER_NAME: ValueOfVisit = {
  columns: ['referrer_host', 'target_host'],
  value: ({ hostName }) =>
    `CASE WHEN target_host IS NULL OR referrer_host = '${UNKNOWN}' THEN '${UNKNOWN_HOST}'
       WHEN referrer_host = '${DIRECT}' THEN '${DIRECT_HOST}' ELSE ${hostName('referrer_host')} END`,
};
const SHORT_NAME: ValueOfVisit = {
  columns: ['short_host', 'target_host'],
  value: ({ hostName }) => `CASE WHEN target_host IS NULL THEN '${UNKNOWN_HOST}' ELSE ${hostName('short_host')} END`,
};
const parentOf = (name: ValueOfVisit): ValueOfVisit => ({
  columns: name.columns,
  value: (dialect) => `regexp_replace(${name.value(dialect)}, '(^|[.])[^.]*$', '')`,
});

const VALUES: Record<GroupedBy, ValueOfVisit> = {
  ...(Object.fromEntries(Object.entries(KEPT).map(([name, column]) => [name, plain(column)])) as Record<
    Kept,
    ValueOfVisit
  >),
  region: place('region'),
  city: place('city'),
  osVersion: optional('os_version'),
  browserVersion: optional('browser_version'),
  referrerUrl: optional('referrer'),
  destination: optional('destination'),
  route: optional('route'),
  importedFrom: optional('imported_from'),
  utmSource: utm('source'),
  utmMedium: utm('medium'),
  utmCampaign: utm('campaign'),
  utmTerm: utm('term'),
  utmContent: utm('content'),
  domain: optional(DOMAIN_COLUMN),
  group: optional('group_id'),
  ip: { columns: ['client_ip'], value: ({ ip }) => `coalesce(${ip}, '')` },
  class: numbered('class', VISIT_CLASSES),
  channel: { columns: ['channel'], value: () => `coalesce(channel, '${UNKNOWN}')` },
  classReason: numbered('class_reason', CLASS_REASONS, UNKNOWN),
  type: numbered('type', ORPHAN_VISIT_TYPES),
  path: plain('path'),
  hasVisitor: {
    columns: ['visitor'],
    value: () => `CASE WHEN visitor IS NULL THEN 'false' ELSE 'true' END`,
  },
  targetName: TARGET_NAME,
  referrerName: REFERRER_NAME,
  shortName: SHORT_NAME,
  targetParent: parentOf(TARGET_NAME),
  referrerParent: parentOf(REFERRER_NAME),
  shortParent: parentOf(SHORT_NAME),
  quarterHour: { columns: ['occurred_at'], value: (dialect) => `CAST(${quarterHourOf(dialect)} AS VARCHAR)` },
  link: { columns: ['link_id'], value: () => 'CAST(link_id AS VARCHAR)' },
};

export function quarterHourOf({ atMs }: Dialect): string {
  return `(${atMs} - ${atMs} % ${BUCKET_MS})`;
}

/** Links by `linked_id` with the names of their domains. */
export const SELECT_DOMAINS = `SELECT links.id AS linked_id, domains.authority AS ${DOMAIN_COLUMN}
  FROM links JOIN domains ON domains.id = links.domain_id`;

/** Whether a question looks at the domains of links. */
export function asksForDomains(
  by: readonly { by: string; of?: GroupedBy }[],
  filters: readonly { dimension: GroupedBy }[],
) {
  return by.some(({ of }) => of === 'domain') || filters.some(({ dimension }) => dimension === 'domain');
}

export function valueOfVisit(by: GroupedBy): ValueOfVisit {
  return VALUES[by];
}

const HOST_COLUMNS = ['target_host', 'referrer_host', 'short_host'] as const;

/** The column with the host that names of this kind are of. */
export function hostColumn(dimension: GroupedBy): string | undefined {
  return HOST_COLUMNS.find((column) => VALUES[dimension].columns[0] === column && dimension !== 'referrer');
}

/** Whose column is the value and never null. */
export function plainColumn(dimension: GroupedBy): string | undefined {
  return (KEPT as Partial<Record<GroupedBy, string>>)[dimension];
}
