import type { NewLink } from '@hopcount/links';

import type { SourceKey } from './source-key.js';

/** Why something of a file was not taken; beside these the codes of problems that a creation has. */
export const SKIP_REASONS = {
  unreadable: 'The row is not what the format says.',
  'missing-field': 'The row lacks a field that every link has.',
  'invalid-field': 'A field of the row is not what it must be.',
  'field-not-imported': 'The link or visit was imported without this field.',
  'limit-from-nothing':
    'The link was imported with its limit; the file does not say how many visits it had, so none of it is used.',
  password: 'The link asks for a password, which no file holds: imported, it would be open to all.',
  'unknown-link': 'The visit is of a link that was not imported under that name; import the link first.',
  'visits-are-totals': 'The link was imported; of its visits the source has the number only, and sums are no visits.',
  'month-not-restorable': 'The visit is of a month that the ledger dropped, and that cannot be brought back.',
  'visits-purged': 'Visits of that link up to then were purged here.',
  'differs-here':
    'The link exists already and was not changed; the row has other values for these fields. `update` changes the link.',
  'other-target': 'The link was imported before, or is here, and leads to another URL.',
  'same-as-refused': 'The row is the same link as an earlier one, which was refused.',
  'charset-assumed': 'The file is not UTF-8 and names no character set, so it was read as Windows-1252.',
  'deleted-here':
    'The link was imported before and is deleted; restore it, or purge it and import it under another name.',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** A row that makes no link. */
export class RowSkipped extends Error {
  constructor(
    readonly reason: SkipReason,
    detail: string,
    /** That is to blame; undefined: the row as a whole. */
    readonly field?: string | undefined,
  ) {
    super(detail);
  }
}

/** A link of another installation. */
export interface SourceLink extends SourceKey {
  link: NewLink;
  /** How often it was visited there; null: the file does not say. */
  visits: number | null;
  /** Fields it has there and not here. */
  withoutFields: string[];
}

/** A row or object of the file; names of fields are as there. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** What the links of one record are. @throws RowSkipped */
export type ReadLinks = (record: SourceRecord) => SourceLink[];
