import type { ArchiveReader, VisitsPage } from '@hopcount/archive';
import {
  type Channel,
  CLASS_REASONS,
  type ClassReason,
  eventIdTimeMs,
  type VisitClass,
  visitClassFromNumber,
} from '@hopcount/contracts';
import type { Database } from '@hopcount/postgres';

import type { SelectedColumns } from './scope-counts.js';
import { type AnswerState, type ChosenVisits, type QuestionSettings, ScopeQuestions } from './scope-questions.js';
import { startOfNewest } from './scope-traffic.js';

/** What is stored of a visit. null where it has none. */
export interface ExplainedVisit {
  eventId: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  linkId: string;
  /** With which it was counted. */
  groupId: string | null;
  class: VisitClass;
  /** null: counted before it was stored, as the channel. */
  classReason: ClassReason | null;
  channel: Channel | null;
  /** What sent it to its destination: a rule, a variant, …; null: the link itself. */
  route: string | null;
  destination: string | null;
  referrer: string | null;
  referrerHost: string;
  userAgent: string | null;
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
  os: string;
  osVersion: string | null;
  browser: string;
  browserVersion: string | null;
  device: string;
  network: string;
  language: string;
  utm: Record<string, string | null> | null;
  /** Fields that were cut to their limits. */
  truncated: string[];
  /** A hash, the same for visits of one browser; null: opted out. */
  visitor: string | null;
  importedFrom: string | null;
  /** The gateway process it came through. */
  source: string;
  enrichmentVersion: number;
}

type Row = Omit<ExplainedVisit, 'class' | 'classReason' | 'utm' | 'truncated'> & {
  class: number;
  classReason: number | null;
  utm: string | null;
  truncated: string | null;
};

/** Names by fields; those that both engines hand out alike stand once. */
const ALIKE = `class, class_reason AS "classReason", channel, route, destination, referrer, country, region, city, os, browser, device, network, language, source,
  group_id AS "groupId", referrer_host AS "referrerHost", user_agent AS "userAgent", os_version AS "osVersion",
  browser_version AS "browserVersion", imported_from AS "importedFrom", enrichment_version AS "enrichmentVersion"`;
const COLUMNS: SelectedColumns = {
  inFiles: `event_id::VARCHAR AS "eventId", epoch_ms(occurred_at)::DOUBLE AS "occurredAt", link_id::VARCHAR AS "linkId",
    visitor::VARCHAR AS visitor, utm, truncated, latitude::VARCHAR::DOUBLE AS latitude, longitude::VARCHAR::DOUBLE AS longitude, ${ALIKE}`,
  inLedger: `event_id AS "eventId", (extract(epoch FROM occurred_at) * 1000)::float8 AS "occurredAt", link_id::text AS "linkId",
    visitor::text AS visitor, utm::text AS utm, array_to_json(truncated)::text AS truncated, latitude, longitude, ${ALIKE}`,
};

/** Where a filter lets few visits through, each look at more of them goes so many times as far back. */
const FURTHER = 16;
const LEAST_LOOKED_AT = 1_000;

/** The visits behind a number, newest first. */
export class ExplainedVisits {
  readonly #questions: ScopeQuestions;

  constructor(
    database: Database,
    archive: Pick<ArchiveReader, 'visits' | 'unknown'>,
    private readonly settings: QuestionSettings = {},
  ) {
    this.#questions = new ScopeQuestions(database, archive, settings);
  }

  /**
   * A page of those that the question counts. Of what lies behind it nothing is looked at, so the state of the answer is
   * that of the page: buckets say how far back it may reach, and it goes further where filters leave too few.
   */
  async read(query: ChosenVisits, page: VisitsPage): Promise<AnswerState & { visits: ExplainedVisit[] }> {
    const { before } = page;
    const from = query.from;
    let to = before === undefined ? query.to : Math.min(query.to, eventIdTimeMs(before) + 1);
    return this.#questions.ask(query, async ({ tx, of, looked }) => {
      const visits: ExplainedVisit[] = [];
      let lookedAt = Math.max(page.limit, this.settings.firstLookedAt ?? LEAST_LOOKED_AT);
      while (from < to && visits.length < page.limit) {
        const range = { from: await startOfNewest(tx, of, { from, to }, lookedAt), to };
        await looked.expectAffordable([range]);
        const left = { before, limit: page.limit - visits.length };
        const rows = await looked.visits(range, (found) => found.list<Row>(COLUMNS, query.filters, left));
        visits.push(...rows.map(toExplained));
        to = range.from;
        lookedAt *= FURTHER;
      }
      return { visits };
    });
  }
}

function toExplained({ utm, truncated, ...row }: Row): ExplainedVisit {
  return {
    ...row,
    class: visitClassFromNumber(row.class),
    classReason: row.classReason === null ? null : (CLASS_REASONS[row.classReason] ?? null),
    utm: utm === null ? null : (JSON.parse(utm) as Record<string, string | null>),
    truncated: truncated === null ? [] : (JSON.parse(truncated) as string[]),
  };
}
