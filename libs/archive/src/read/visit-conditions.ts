import { HOUR_MS, type InstantRange, toIso } from '@hopcount/ledger';

import { isMarked } from '../clean/purged-visits.js';
import { quote } from '../duckdb/quoting.js';
import { DUCKDB } from '../questions/dialect.js';
import { isOneOf, type VisitsOf } from './visits-of.js';

/** Hours by their starts. */
export interface FileHours {
  /** Visits purged since the file was written are left out there. */
  marked: readonly number[];
  /** All of the files' visits are. */
  leftOut: readonly number[];
}

export function isWithin({ from, to }: InstantRange): string {
  return `occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(to)}'::TIMESTAMPTZ`;
}

/** But for visits that were purged since, and hours that are left out. */
export function isCounted({ marked, leftOut }: FileHours, keptFrom: number): string[] {
  const hour = `${DUCKDB.atMs} // ${HOUR_MS}`;
  const mark = isMarked(DUCKDB.atMs, 'purged_before', keptFrom);
  const isPurged = `EXISTS (SELECT 1 FROM purges WHERE purged_link = link_id AND ${mark})`;
  return [
    ...(leftOut.length === 0 ? [] : [`${hour} NOT IN (${hoursIn(leftOut)})`]),
    ...(marked.length === 0 ? [] : [`NOT (${hour} IN (${hoursIn(marked)}) AND ${isPurged})`]),
  ];
}

export function isOfScope({ links, groupId }: VisitsOf): string[] {
  const ofLinks = () => {
    if (links === undefined) return [];
    return [`link_id ${'select' in links ? 'IN (SELECT id FROM scope_links)' : isOneOf(links)}`];
  };
  return [...ofLinks(), ...(groupId === undefined ? [] : [`coalesce(group_id, '') = ${quote(groupId)}`])];
}

export function hoursIn(hours: readonly number[]): string {
  return hours.map((hour) => hour / HOUR_MS).join(', ');
}

export function isInside(period: InstantRange, range: InstantRange): boolean {
  return period.from >= range.from && period.to <= range.to;
}

export function isTouched({ from, to }: InstantRange, { marked, leftOut }: FileHours): boolean {
  return [...marked, ...leftOut].some((hour) => hour >= from && hour < to);
}

export function whereAll(conditions: readonly (string | undefined)[]): string {
  const all = conditions.filter((condition) => condition !== undefined);
  return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
}
