import { VISIT_CLASSES } from '@hopcount/contracts';

import type { Dialect } from './dialect.js';
import { type GroupedBy, hostColumn, plainColumn, quarterHourOf, valueOfVisit } from './visit-values.js';

/** Visits that have one of the values (of quarters of an hour there may be none), or one that begins with one of the prefixes (at least one of both); or those that do not. */
export interface VisitFilter {
  dimension: GroupedBy;
  values: readonly string[];
  /** None of classes, links and quarters of an hour. */
  prefixes: readonly string[];
  isExcluded: boolean;
}

/** SQL, true of the visits that all filters let through; undefined: of every visit. */
export function filterVisits(filters: readonly VisitFilter[], dialect: Dialect): string | undefined {
  if (filters.length === 0) return undefined;
  return filters.map((filter) => `(${toCondition(filter, dialect)})`).join(' AND ');
}

function toCondition({ dimension, values, prefixes, isExcluded }: VisitFilter, dialect: Dialect): string {
  const not = isExcluded ? 'NOT ' : '';
  if (dimension === 'class') return `${not}class IN (${values.map(classNumber).join(', ')})`;
  if (dimension === 'link') return `${not}link_id IN (${values.map(wholeNumber).join(', ')})`;
  if (dimension === 'quarterHour')
    return values.length === 0
      ? String(isExcluded)
      : `${not}${quarterHourOf(dialect)} IN (${values.map(wholeNumber).join(', ')})`;
  const value = valueOfVisit(dimension).value(dialect);
  const isOneOf = (texts: readonly string[]) => `IN (${texts.map((text) => dialect.text(text)).join(', ')})`;
  const equals = values.length === 0 ? [] : [`${plainColumn(dimension) ?? `(${value})`} ${isOneOf(values)}`];
  const begins = prefixes.map((prefix) => `starts_with(${value}, ${dialect.text(prefix)})`);
  const condition = `${not}(${[...equals, ...begins].join(' OR ')})`;
  const host = hostColumn(dimension);
  const ends = [...values, ...prefixes].map(hostEnd);
  if (host !== undefined && !isExcluded && ends.every((end) => end !== undefined))
    return `(${ends.map((end) => `right(${host}, ${end.length}) = ${dialect.text(end)}`).join(' OR ')}) AND ${condition}`;
  const isPlace = dimension === 'region' || dimension === 'city';
  // By the column as it is first: files are sifted by their statistics and dictionaries.
  if (isPlace && !isExcluded && prefixes.length === 0)
    return `${dimension} ${isOneOf(values.flatMap(namesOf))} AND ${condition}`;
  return condition;
}

/** What a host ends with that counts by the name, or below it; undefined: that cannot be said. */
function hostEnd(name: string): string | undefined {
  if (name.startsWith('~') || name === '') return undefined;
  return name.replace(/\.$/, '').split('.').reverse().join('.');
}

/** What a place may be called whose value is `Paris, FR`: that, or what stands before its country. */
function namesOf(value: string): string[] {
  const at = value.lastIndexOf(', ');
  return at < 0 ? [value] : [value, value.slice(0, at)];
}

function wholeNumber(text: string): string {
  if (/^\d+$/.test(text)) return text;
  throw new RangeError('ids of links and instants are numbers');
}

/** One that nobody has, where there is no such class: no visit has it either. */
function classNumber(name: string): number {
  return (VISIT_CLASSES as readonly string[]).indexOf(name);
}
