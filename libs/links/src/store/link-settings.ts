import { AppError } from '@hopcount/runtime';

export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

export const EXTRA_PATH_MODES = ['append', 'ignore'] as const;
export type ExtraPathMode = (typeof EXTRA_PATH_MODES)[number];

/** What decides where a link's visitors go, beside its long URL. Each is a column of `links`. */
export interface LinkSettings {
  /** Both moments are valid. */
  validSince: Date | null;
  validUntil: Date | null;
  maxVisits: number | null;
  /** Where visitors go once the link has ended; null: to the page of unknown links. */
  expiredUrl: string | null;
  disabled: boolean;
  forwardQuery: boolean;
  /** What `/code/more` means; null: no link. */
  extraPath: ExtraPathMode | null;
  /** null: 302. */
  redirectStatus: RedirectStatus | null;
  /** Named in robots.txt. */
  crawlable: boolean;
  /** Visitors are shown where they are sent, and go on by themselves. */
  warn: boolean;
}

/** Of a link that is given nothing else. */
export const DEFAULT_SETTINGS: LinkSettings = {
  validSince: null,
  validUntil: null,
  maxVisits: null,
  expiredUrl: null,
  disabled: false,
  forwardQuery: true,
  extraPath: null,
  redirectStatus: null,
  crawlable: false,
  warn: false,
};

export interface LinkSettingsRow {
  valid_since: Date | null;
  valid_until: Date | null;
  max_visits: number | null;
  expired_url: string | null;
  disabled: boolean;
  forward_query: boolean;
  extra_path: ExtraPathMode | null;
  redirect_status: RedirectStatus | null;
  crawlable: boolean;
  warn: boolean;
}

export function settingsFromRow(row: LinkSettingsRow): LinkSettings {
  return {
    validSince: row.valid_since,
    validUntil: row.valid_until,
    maxVisits: row.max_visits,
    expiredUrl: row.expired_url,
    disabled: row.disabled,
    forwardQuery: row.forward_query,
    extraPath: row.extra_path,
    redirectStatus: row.redirect_status,
    crawlable: row.crawlable,
    warn: row.warn,
  };
}

export type SomeSettings = { [Field in keyof LinkSettings]?: LinkSettings[Field] | undefined };

/** The settings among other fields; those that are absent (or undefined) are left out. */
export function settingsOf(fields: SomeSettings): Partial<LinkSettings> {
  const given = (Object.keys(DEFAULT_SETTINGS) as (keyof LinkSettings)[]).filter((name) => fields[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, fields[name]]));
}

/** Fields as columns, in JSON for `jsonb_populate_record(…, links)`: a column that is absent keeps what it has. */
export function toColumns(fields: Record<string, unknown>): string {
  const columns = Object.entries(fields).map(([field, value]) => [
    field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return JSON.stringify(Object.fromEntries(columns));
}

/**
 * A 301 or 308 says that the answer may be kept for ever; whoever keeps it follows the link without asking.
 * @throws AppError `invalid-data`
 */
export function refuseKeptLimit({
  maxVisits,
  redirectStatus,
}: Pick<LinkSettings, 'maxVisits' | 'redirectStatus'>): void {
  if (maxVisits === null || (redirectStatus !== 301 && redirectStatus !== 308)) return;
  const message = `A link with maxVisits cannot redirect with ${redirectStatus}: browsers may keep that answer and follow the link without asking. Use 302 or 307.`;
  throw new AppError('invalid-data', message, { details: { invalidElements: ['maxVisits', 'redirectStatus'] } });
}
