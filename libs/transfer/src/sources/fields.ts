import { readMoment } from '@hopcount/contracts';

import { splitTags } from '../export/tag-text.js';
import { RowSkipped, type SourceRecord } from './source-link.js';

const LATEST_MS = Date.UTC(10_000, 0, 1);
const EPOCH_SECONDS = /^\d{9,10}$/;

/** Fields of one record by name, whatever their case and with or without `_`, `-` and spaces. Empty is absent. */
export class Fields {
  readonly #values = new Map<string, { name: string; value: unknown }>();
  readonly #read = new Set<string>();

  constructor(record: SourceRecord) {
    for (const [name, value] of Object.entries(record)) {
      if (value === null || value === undefined || value === '') continue;
      this.#values.set(plain(name), { name, value });
    }
  }

  /** The first of the names that is there. */
  get(...names: string[]): unknown {
    let found: unknown;
    for (const name of names) {
      this.#read.add(plain(name));
      found ??= this.#values.get(plain(name))?.value;
    }
    return found;
  }

  /** Names of fields that nobody asked for. */
  unread(): string[] {
    return [...this.#values].filter(([name]) => !this.#read.has(name)).map(([, { name }]) => name);
  }

  text(...names: string[]): string | null {
    const value = this.get(...names);
    if (value === undefined) return null;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    throw invalid(names[0], 'is no text');
  }

  required(...names: string[]): string {
    const value = this.text(...names)?.trim() ?? '';
    if (value !== '') return value;
    throw new RowSkipped('missing-field', `There is no ${names[0]}.`);
  }

  flag(...names: string[]): boolean | undefined {
    const value = this.get(...names);
    if (value === undefined || typeof value === 'boolean') return value;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
    if (['true', '1', 'yes'].includes(text)) return true;
    if (['false', '0', 'no'].includes(text)) return false;
    throw invalid(names[0], 'is neither true nor false');
  }

  /** In whole seconds, as links have them. */
  date(...names: string[]): Date | null {
    const ms = this.instant(...names);
    return ms === null ? null : new Date(Math.floor(ms / 1_000) * 1_000);
  }

  /** Epoch milliseconds. */
  instant(...names: string[]): number | null {
    const text = this.text(...names)?.trim();
    if (text === undefined) return null;
    const ms = Math.floor(parseMoment(text));
    if (ms >= 0 && ms < LATEST_MS) return ms;
    throw invalid(names[0], 'is no date of the years 1970 to 9999');
  }

  whole(...names: string[]): number | null {
    const text = this.text(...names)?.trim();
    if (text === undefined) return null;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw invalid(names[0], 'is no whole number');
  }

  /** A sum that tells something about the record, and is no part of it: what is none is not there. */
  count(...names: string[]): number | null {
    const value = Number(this.get(...names) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : null;
  }

  /** As {@link list}. */
  texts(...names: string[]): string[] {
    const list = this.list(...names);
    if (list.every((item) => typeof item === 'string')) return list;
    throw invalid(names[0], 'is no list of texts');
  }

  /** A list, or all of them in one text. */
  tags(): string[] {
    const tags = this.get('tags');
    return typeof tags === 'string' ? splitTags(tags) : this.texts('tags');
  }

  /** A list as it is, or as JSON in a text. */
  list(...names: string[]): unknown[] {
    const value = this.get(...names);
    if (value === undefined) return [];
    const list = typeof value === 'string' ? parseJson(value) : value;
    if (Array.isArray(list)) return list as unknown[];
    throw invalid(names[0], 'is no list');
  }
}

export function invalid(field: string | undefined, why: string): RowSkipped {
  return new RowSkipped('invalid-field', `${field ?? 'The row'} ${why}.`);
}

const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');

function parseMoment(text: string): number {
  if (EPOCH_SECONDS.test(text)) return Number(text) * 1_000;
  const moment = readMoment(text);
  // Without a zone, as databases write it, it is UTC. Of a day alone nobody knows the hour.
  return moment === undefined || moment.kind === 'date' ? Number.NaN : moment.atMs;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
