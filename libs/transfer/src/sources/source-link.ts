import type { NewLink } from '@hopcount/links';

/** Why something of a file was not taken; beside these the codes of problems that a creation has. */
export const SKIP_REASONS = {
  unreadable: 'The row is not what the format says.',
  'missing-field': 'The row lacks a field that every link has.',
  'invalid-field': 'A field of the row is not what it must be.',
  'field-not-imported': 'The link was imported without this field.',
  'max-visits': 'The link has a limit of visits, which is not imported; it would be a link without one.',
  password: 'The link asks for a password, which no link here does.',
  'deleted-here':
    'The link was imported before and is deleted; restore it, or purge it and import it under another name.',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** A row that makes no link. */
export class RowSkipped extends Error {
  constructor(
    readonly reason: SkipReason,
    detail: string,
  ) {
    super(detail);
  }
}

/** A link of another installation. */
export interface SourceLink {
  /** The same whenever that link is read. */
  key: string;
  link: NewLink;
  /** Fields it has there and not here. */
  withoutFields: string[];
}

/** A row or object of the file; names of fields are as there. */
export type SourceRecord = Readonly<Record<string, unknown>>;

/** What the links of one record are. @throws RowSkipped */
export type ReadLinks = (record: SourceRecord) => SourceLink[];
