import { readMoment } from '@hopcount/contracts';
import { DAY_MS } from '@hopcount/ledger';

import { splitTags } from '../export/tag-text.js';
import { NAMES, plain } from './names.js';
import { RowSkipped, type SourceRecord } from './source-link.js';

/** As spreadsheets write a day. Days in another order are not guessed. */
const SLASHED_DAY = /^(\d{4})\/(\d{2})\/(\d{2})$/;
const LATEST_MS = Date.UTC(10_000, 0, 1);
/** Seconds, or milliseconds. */
const EPOCH = /^(?:\d{9,10}|\d{13})$/;
const EARLIEST_EPOCH_MS = Date.UTC(2000, 0, 1);
/** From here on ten digits can be a day and an hour as well: 2024050612. */
const LATEST_EPOCH_MS = 2_000_000_000_000;
const DAY_AND_HOUR = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])$/;

/** Fields of one record by name, whatever their case and with or without `_`, `-` and spaces. Empty is absent. */
export class Fields {
  readonly #values = new Map<string, { name: string; value: unknown }>();
  readonly #names = new Set<string>();
  readonly #read = new Set<string>();
  /** Names that two fields have, in other spellings, with values that differ. */
  readonly #disputed = new Set<string>();
  /** Names of fields that were asked for and could not be read. */
  readonly leftOut: string[] = [];

  /** @param records a record, and those that are parts of it */
  constructor(...records: readonly SourceRecord[]) {
    for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
      const key = plain(name);
      this.#names.add(key);
      if (value === null || value === undefined || value === '') continue;
      const before = this.#values.get(key);
      if (before !== undefined && spelled(before.value) !== spelled(value)) this.#disputed.add(key);
      this.#values.set(key, { name, value });
    }
  }

  /** The first of the names that is there. Others that say something else stay unread. @throws RowSkipped: it is there twice, and differently */
  get(...names: readonly string[]): unknown {
    let found: unknown;
    for (const name of names.map(plain)) {
      const value = this.#values.get(name)?.value;
      if (this.#disputed.has(name)) throw invalid(names[0], 'is said twice and differently');
      found ??= value;
      if (value === undefined || value === found) this.#read.add(name);
    }
    return found;
  }

  /** As {@link text}, of what decides which link it is: fields that disagree are not chosen from. */
  only(...names: readonly string[]): string | null {
    const found = this.text(...names)?.trim() ?? null;
    const other = names.find(
      (name) => (this.#values.get(plain(name))?.value ?? found) !== found && this.text(name)?.trim() !== found,
    );
    if (other === undefined) return found;
    throw invalid(
      names[0],
      `is said twice and differently, by "${this.#nameOf(names, found)}" and by "${this.#nameOf([other])}"`,
    );
  }

  #nameOf(names: readonly string[], text?: string | null): string {
    const fields = names.flatMap((name) => this.#values.get(plain(name)) ?? []);
    return (fields.find(({ value }) => text === undefined || String(value).trim() === text) ?? fields[0])?.name ?? '';
  }

  /** Whether the record has such a field, be it empty. */
  names(...names: readonly string[]): boolean {
    return names.some((name) => this.#names.has(plain(name)));
  }

  ignore(...names: readonly string[]): void {
    for (const name of names) this.#read.add(plain(name));
  }

  /** Names of fields that say something and that nobody asked for. */
  unread(): string[] {
    const unread = [...this.#values].filter(([name]) => !this.#read.has(name));
    return unread.flatMap(([, { name, value }]) => (saysNothing(value) ? [] : [name]));
  }

  text(...names: readonly string[]): string | null {
    const value = this.get(...names);
    if (value === undefined) return null;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw invalid(names[0], 'is no text');
  }

  /** What a text means; one that means nothing is left out. */
  known<Value>(names: readonly string[], read: (text: string) => Value | null): Value | null {
    const text = this.text(...names)?.trim() ?? null;
    const value = text === null ? null : read(text);
    if (text !== null && value === null) this.leftOut.push(names[0] ?? '');
    return value;
  }

  required(...names: readonly string[]): string {
    const value = this.only(...names) ?? '';
    if (value !== '') return value;
    throw new RowSkipped('missing-field', `There is no ${names[0]}.`, names[0]);
  }

  flag(...names: readonly string[]): boolean | undefined {
    const value = this.get(...names);
    if (value === undefined || typeof value === 'boolean') return value;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
    if (['true', '1', 'yes'].includes(text)) return true;
    if (['false', '0', 'no'].includes(text)) return false;
    throw invalid(names[0], 'is neither true nor false');
  }

  /** In whole seconds, as links have them. */
  date(...names: readonly string[]): Date | null {
    const ms = this.instant(...names);
    return ms === null ? null : new Date(Math.floor(ms / 1_000) * 1_000);
  }

  /** As {@link date}, of what has happened. Clocks and zones differ. */
  past(...names: readonly string[]): Date | null {
    const date = this.date(...names);
    if (date === null || date.getTime() <= Date.now() + DAY_MS) return date;
    throw invalid(names[0], 'is more than a day in the future: check the day, the year and the time zone');
  }

  /** Epoch milliseconds. */
  instant(...names: readonly string[]): number | null {
    const text = this.text(...names)?.trim();
    if (text === undefined) return null;
    if (EPOCH.test(text)) return epochMs(names[0], text);
    const ms = Math.floor(parseMoment(text));
    if (ms >= 0 && ms < LATEST_MS) return ms;
    throw invalid(names[0], 'is no date of the years 1970 to 9999 as 2026-01-31 or 2026-01-31T12:00:00Z');
  }

  whole(...names: readonly string[]): number | null {
    const text = this.text(...names)?.trim();
    if (text === undefined) return null;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw invalid(names[0], 'is no whole number');
  }

  /** A sum that tells something about the record, and is no part of it: what is none is not there. */
  count(...names: readonly string[]): number | null {
    const value = Number(this.get(...names) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : null;
  }

  /** As {@link list}. */
  texts(...names: readonly string[]): string[] {
    const list = this.list(...names);
    if (list.every((item) => typeof item === 'string')) return list;
    throw invalid(names[0], 'is no list of texts');
  }

  /** A list, or all of them in one text. */
  tags(): string[] {
    const tags = this.get(...NAMES.tags);
    return typeof tags === 'string' && !Array.isArray(parseJson(tags)) ? splitTags(tags) : this.texts(...NAMES.tags);
  }

  /** A list as it is, or as JSON in a text. */
  list(...names: readonly string[]): unknown[] {
    const value = this.get(...names);
    if (value === undefined) return [];
    const list = typeof value === 'string' ? parseJson(value) : value;
    if (Array.isArray(list)) return list as unknown[];
    throw invalid(names[0], 'is no list');
  }
}

export function invalid(field: string | undefined, why: string): RowSkipped {
  return new RowSkipped('invalid-field', `${field ?? 'The row'} ${why}.`, field);
}

const spelled = (value: unknown) => (typeof value === 'string' ? value.trim() : JSON.stringify(value));

/** "No", and lists and objects in which there is nothing. */
function saysNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return [false, 'false', 'FALSE'].includes(value as string);
  return Object.values(value).every((item) => item === null || saysNothing(item));
}

/** @throws RowSkipped: the number may not be one, or is one of no likely time */
function epochMs(field: string | undefined, text: string): number {
  if (DAY_AND_HOUR.test(text)) {
    const written = text.replace(/(....)(..)(..)(..)/, '$1-$2-$3T$4:00:00Z');
    throw invalid(
      field,
      `is seconds since 1970 or a day and an hour: write it as ${written}, if that is what it means`,
    );
  }
  const ms = Number(text) * (text.length === 13 ? 1 : 1_000);
  if (ms >= EARLIEST_EPOCH_MS && ms < LATEST_EPOCH_MS) return ms;
  throw invalid(
    field,
    'is no number of seconds or milliseconds since 1970 between the years 2000 and 2033: write it as 2026-01-31T12:00:00Z',
  );
}

function parseMoment(text: string): number {
  const moment = readMoment(text.replace(SLASHED_DAY, '$1-$2-$3'));
  // Without a zone, as databases write it, it is UTC; a day alone is its first moment.
  return moment?.atMs ?? Number.NaN;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: the field is not there.
    return undefined;
  }
}
