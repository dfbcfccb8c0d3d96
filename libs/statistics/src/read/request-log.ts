import { type VisitClass, visitClassFromNumber } from '@hopcount/contracts';
import { BOT_CLASSES, toIso } from '@hopcount/ledger';

export interface LogQuery {
  /** [from, to), epoch milliseconds; open where absent. */
  from?: number | undefined;
  to?: number | undefined;
  /** Leaves out bots, previews and prefetches. */
  excludeBots: boolean;
  /** From 1. */
  page: number;
  itemsPerPage: number;
}

/** What the log of visits and that of orphan visits tell alike. */
export interface LoggedRequest {
  eventId: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  class: VisitClass;
  referrer: string | null;
  userAgent: string | null;
  /** UNKNOWN where nothing was found. */
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
}

/** An access record of a link. */
export interface LoggedVisit extends LoggedRequest {
  linkId: string;
  destination: string | null;
  os: string;
  browser: string;
  device: string;
  referrerHost: string;
  language: string;
  /** The installation it was imported from; null: none. */
  importedFrom: string | null;
}

/** Of visits in files, as list-visits.sql names those of the ledger. */
export const FILE_COLUMNS = `event_id::VARCHAR AS "eventId", epoch_ms(occurred_at)::DOUBLE AS "occurredAt", link_id::VARCHAR AS "linkId",
  class, referrer, user_agent AS "userAgent", destination, country, region, city,
  latitude::VARCHAR::DOUBLE AS latitude, longitude::VARCHAR::DOUBLE AS longitude, os, browser, device,
  referrer_host AS "referrerHost", language, imported_from AS "importedFrom"`;

/** What exports say of a visit beside what lists say. */
export interface WholeVisit extends LoggedVisit {
  groupId: string | null;
  osVersion: string | null;
  browserVersion: string | null;
  network: string;
  channel: string | null;
  /** Its number; null: from before reasons were kept. */
  classReason: number | null;
  route: string | null;
  /** JSON. */
  utm: string | null;
}

/** As next-visits.sql names those of the ledger. */
export const WHOLE_FILE_COLUMNS = `${FILE_COLUMNS}, group_id AS "groupId", os_version AS "osVersion",
  browser_version AS "browserVersion", network, channel, class_reason AS "classReason", route, utm`;

/** A row as the statements answer it: columns by the names of the fields; instants as PostgreSQL or DuckDB has them. */
export type LogRow<Logged extends LoggedRequest> = Omit<Logged, 'occurredAt' | 'class'> & {
  occurredAt: Date | number;
  class: number;
};

export function toLogged<Row extends { occurredAt: Date | number; class: number }>(
  row: Row,
): Omit<Row, 'occurredAt' | 'class'> & { occurredAt: number; class: VisitClass } {
  return { ...row, occurredAt: Number(row.occurredAt), class: visitClassFromNumber(row.class) };
}

/** Parameters of the range and the classes left out. */
export function filterOf({ from, to, excludeBots }: LogQuery): [string | null, string | null, readonly number[]] {
  return [from === undefined ? null : toIso(from), to === undefined ? null : toIso(to), excludeBots ? BOT_CLASSES : []];
}
