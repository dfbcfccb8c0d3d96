import type { operations } from '@hopcount/client';

import { type Range, RANGES } from '../../features/view/view.js';

type Query = NonNullable<operations['listAuditLog']['parameters']['query']>;

export const ACTOR_KINDS = ['user', 'api-key', 'cli', 'system'] as const satisfies readonly Query['actorKind'][];
type Kind = NonNullable<Query['kind']>;
export const KINDS = Object.keys({
  link: true,
  tag: true,
  group: true,
  domain: true,
  'api-key': true,
  block: true,
  import: true,
  user: true,
  'group-role': true,
  'provider-identity': true,
  'abuse-report': true,
  invite: true,
  'share-link': true,
  webhook: true,
  alert: true,
  job: true,
  'orphan-visits': true,
  'host-batch': true,
  ledger: true,
  operation: true,
} satisfies Record<Kind, true>) as Kind[];

/** What the address asks for: days are of the browser's zone. */
export interface AuditAsked {
  actorKind?: (typeof ACTOR_KINDS)[number];
  actor?: string;
  kind?: Kind;
  object?: string;
  /** Unless days are named. */
  range?: Range;
  firstDay?: string;
  lastDay?: string;
  /** The entry that the page goes on behind. */
  after?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ENTRY_ID = /^\d{1,14}-\d{1,18}$/;

export function parseAsked(search: Record<string, unknown>): AuditAsked {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const matching = (name: string, pattern: RegExp) => {
    const value = text(name);
    return value !== undefined && pattern.test(value) ? value : undefined;
  };
  const day = (name: string) => {
    const value = matching(name, DAY);
    return value !== undefined && startOf(value) !== undefined ? value : undefined;
  };
  return defined({
    actorKind: ACTOR_KINDS.find((kind) => kind === search['actorKind']),
    actor: text('actor'),
    kind: KINDS.find((kind) => kind === search['kind']),
    object: text('object'),
    range: RANGES.find((range) => range === search['range']),
    firstDay: day('firstDay'),
    lastDay: day('lastDay'),
    after: matching('after', ENTRY_ID),
  });
}

/** As the api is asked. */
export function toQuery({ range, firstDay, lastDay, ...asked }: AuditAsked): Query {
  if (range !== undefined && firstDay === undefined && lastDay === undefined) {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return { ...asked, range, timeZone };
  }
  return defined({
    ...asked,
    startDate: firstDay === undefined ? undefined : startOf(firstDay)?.toISOString(),
    endDate: lastDay === undefined ? undefined : endOf(lastDay),
  });
}

/** Of the day in the browser's zone; undefined for what no calendar has. */
function startOf(day: string): Date | undefined {
  const date = new Date(`${day}T00:00`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The last millisecond: days may have 23 or 25 hours. */
function endOf(day: string): string | undefined {
  const next = startOf(day);
  if (next === undefined) return undefined;
  next.setDate(next.getDate() + 1);
  return new Date(next.getTime() - 1).toISOString();
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
