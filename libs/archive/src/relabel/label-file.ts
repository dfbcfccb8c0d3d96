import { appendFile } from 'node:fs/promises';

import {
  type Channel,
  CLASS_REASONS,
  type ClassReason,
  type VisitClass,
  visitClassFromNumber,
  visitClassNumber,
} from '@hopcount/contracts';
import { ENRICHMENT_VERSION, type InstantRange, type LabelRules } from '@hopcount/ledger';

import type { DuckSession } from '../duckdb/duck-database.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { WorkFolder } from '../files/work-folder.js';

/** In memory at once. */
const ROWS_AT_ONCE = 20_000;
const CLIENT_LABELS = [
  { name: 'n', type: 'BIGINT' },
  { name: 'new_class', type: 'SMALLINT' },
  { name: 'new_reason', type: 'SMALLINT' },
];
const ORIGIN_LABELS = [
  { name: 'n', type: 'BIGINT' },
  { name: 'new_channel', type: 'VARCHAR' },
];
/** What rules read of a visit; equal ones get one label. */
const CLIENT = ['class', 'class_reason', 'user_agent', 'is_imported', 'is_anonymous'];
const ORIGIN = ['referrer', 'referrer_host', 'utm', 'destination', 'domain', 'is_imported'];

interface ClientRow {
  n: number;
  class: number;
  class_reason: number | null;
  user_agent: string | null;
  is_imported: boolean;
  is_anonymous: boolean;
}

interface OriginRow {
  n: number;
  referrer: string | null;
  referrer_host: string;
  utm: string | null;
  destination: string | null;
  domain: string;
  is_imported: boolean;
}

/**
 * Makes `labelled` of a relation of visits: each with `new_class`, `new_reason` and `new_channel`, which of visits outside of
 * the range are those they have, and `is_changing`. Rules are asked once for visits that are the same to them. `domains`: link_id
 * and domain.
 */
export async function labelVisits(
  session: DuckSession,
  { visits, range, rules, work }: { visits: string; range: InstantRange; rules: LabelRules; work: WorkFolder },
): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP VIEW known AS
     SELECT visit.*, coalesce(domain, '') AS domain, imported_from IS NOT NULL AS is_imported,
       visitor IS NULL AND ip IS NULL AS is_anonymous,
       epoch_ms(occurred_at) >= ${range.from} AND epoch_ms(occurred_at) < ${range.to} AS is_in_range
     FROM (${visits}) AS visit LEFT JOIN domains USING (link_id)`,
  );
  await distinct(session, 'clients', CLIENT);
  await label<ClientRow>(session, work, { of: 'clients', as: 'client_labels', columns: CLIENT_LABELS }, (row) => {
    const judged = rules.classOf({
      class: visitClassFromNumber(row.class),
      classReason: row.class_reason === null ? null : (CLASS_REASONS[row.class_reason] ?? null),
      userAgent: row.user_agent,
      isImported: row.is_imported,
      isAnonymous: row.is_anonymous,
    });
    return numbersOf(judged);
  });
  await distinct(session, 'origins', ORIGIN);
  await label<OriginRow>(session, work, { of: 'origins', as: 'origin_labels', columns: ORIGIN_LABELS }, (row) => [
    channelOf(row, rules),
  ]);
  await session.run(
    `CREATE OR REPLACE TEMP VIEW labelled AS
     SELECT known.*, new_class, new_reason, new_channel, known.is_in_range AND (known.class <> new_class
       OR known.class_reason IS DISTINCT FROM new_reason OR known.channel IS DISTINCT FROM new_channel) AS is_changing
     FROM known
     JOIN clients ON ${equal('known', 'clients', CLIENT)}
     JOIN client_labels ON client_labels.n = clients.n
     JOIN origins ON ${equal('known', 'origins', ORIGIN)}
     JOIN origin_labels ON origin_labels.n = origins.n`,
  );
}

/** DuckDB: the rows of `labelled` as a file has them. */
export const LABELLED_VISITS = `SELECT * REPLACE (
    CASE WHEN is_changing THEN new_class ELSE class END AS class,
    CASE WHEN is_changing THEN new_reason ELSE class_reason END AS class_reason,
    CASE WHEN is_changing THEN new_channel ELSE channel END AS channel,
    CASE WHEN is_changing THEN ${ENRICHMENT_VERSION} ELSE enrichment_version END::SMALLINT AS enrichment_version
  ) FROM labelled`;

function numbersOf({ class: name, reason }: { class: VisitClass; reason: ClassReason }): [number, number] {
  return [visitClassNumber(name), CLASS_REASONS.indexOf(reason)];
}

function channelOf(row: OriginRow, rules: LabelRules): Channel {
  const utm = row.utm === null ? null : (JSON.parse(row.utm) as Record<string, string | null>);
  return rules.channelOf({
    referrer: row.referrer,
    referrerHost: row.referrer_host,
    utmSource: utm?.['source'] ?? null,
    utmMedium: utm?.['medium'] ?? null,
    destination: row.destination,
    domain: row.domain,
    isImported: row.is_imported,
  });
}

async function distinct(session: DuckSession, table: string, columns: readonly string[]): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE ${table} AS
     SELECT row_number() OVER () AS n, * FROM (SELECT DISTINCT ${columns.join(', ')} FROM known)`,
  );
}

/** Through a file aside: as many rows as there are. */
async function label<Row extends { n: number }>(
  session: DuckSession,
  work: WorkFolder,
  { of, as, columns }: { of: string; as: string; columns: readonly { name: string; type: string }[] },
  labelsOf: (row: Row) => readonly (string | number)[],
): Promise<void> {
  await work.aside(async (path) => {
    await appendFile(path, '', { mode: 0o600 });
    for (let after = 0; ; after += ROWS_AT_ONCE) {
      const rows = await session.rows<Row>(
        `SELECT * REPLACE (n::DOUBLE AS n) FROM ${of} WHERE n > ${after} AND n <= ${after + ROWS_AT_ONCE}`,
      );
      if (rows.length === 0) break;
      await appendFile(path, rows.map((row) => `"${[row.n, ...labelsOf(row)].join('","')}"\n`).join(''));
    }
    await session.run(`CREATE OR REPLACE TEMP TABLE ${as} AS SELECT * FROM ${readCsv(path, columns)}`);
  });
}

function equal(left: string, right: string, columns: readonly string[]): string {
  return columns.map((name) => `${left}.${name} IS NOT DISTINCT FROM ${right}.${name}`).join(' AND ');
}
