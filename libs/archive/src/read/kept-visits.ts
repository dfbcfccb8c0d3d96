import { type CountedBy, selectInFiles } from '../questions/count-visits.js';
import { crossInFiles, type Crossing } from '../questions/cross-visits.js';
import type { KeptRelation } from './kept-relations.js';

type Id = 'visitor' | 'ip';

/** What may be kept of visits. `what`: with the visits that are chosen it says all. */
export type KeptOfVisits = Pick<KeptRelation<never>, 'merged' | 'bytes' | 'isFinal'> & {
  what: string;
  select: (visits: string) => string;
};

export function countsBy(by: CountedBy): KeptOfVisits {
  return {
    what: `visits by ${JSON.stringify(by)}`,
    select: (visits) => selectInFiles(by).counts(visits),
    merged: (rows) => `SELECT key, sum(visits)::BIGINT AS visits FROM (${rows}) GROUP BY key`,
    bytes: 'sum(24 + strlen(key::VARCHAR))',
  };
}

export function cellsBy(by: Crossing): KeptOfVisits {
  return {
    what: `visits by ${JSON.stringify(by)}`,
    select: (visits) => crossInFiles(by)(visits),
    merged: (rows) => `SELECT a, b, sum(visits)::BIGINT AS visits FROM (${rows}) GROUP BY a, b`,
    bytes: 'sum(40 + strlen(a) + strlen(b))',
  };
}

/** By nothing there is no key: of millions of ids it would take as much again. */
export function idsBy(by: CountedBy, id: Id): KeptOfVisits {
  const columns = by.by === 'nothing' ? 'id' : 'key, id';
  const known = (visits: string) => `(SELECT key, ${id} AS id FROM (${selectInFiles(by).members(visits)}))`;
  const bytes = by.by === 'nothing' ? '8 * count(*)' : '16 * count(*)';
  return {
    what: `${id}s by ${JSON.stringify(by)}`,
    select: (visits) => `SELECT ${columns} FROM ${known(visits)} WHERE id IS NOT NULL`,
    merged: (rows) => `SELECT DISTINCT ${columns} FROM (${rows})`,
    bytes: by.by === 'value' && by.of !== 'link' ? 'sum(24 + strlen(key))' : bytes,
  };
}

/** What is counted by the points of a series to which no visit is added: ids of years would not fit. */
export function finalBy(by: CountedBy, ids: readonly Id[]): KeptOfVisits {
  return {
    what: `final ${ids.join()} by ${JSON.stringify(by)}`,
    select: (visits) => numbersBy(selectInFiles(by).members(visits), ids),
    merged: (rows) => rows,
    bytes: '32 * count(*)',
    isFinal: true,
  };
}

export function idsOf(hasIps: boolean): Id[] {
  return hasIps ? ['visitor', 'ip'] : ['visitor'];
}

/** Of key, visitor and ip of each visit. */
export function uniquesOf(members: string, { by }: CountedBy, ids: readonly Id[]): string {
  return by === 'nothing'
    ? `SELECT '0' AS key, ${distinct(ids)} FROM (${members})`
    : textKeys(`(${numbersBy(members, ids)})`);
}

export function textKeys(numbers: string): string {
  return `SELECT CAST(key AS VARCHAR) AS key, * EXCLUDE (key) FROM ${numbers}`;
}

function numbersBy(members: string, ids: readonly Id[]): string {
  return `SELECT key, ${distinct(ids)} FROM (${members}) GROUP BY key`;
}

function distinct(ids: readonly Id[]): string {
  return ['count(*)::DOUBLE AS visits', ...ids.map((id) => `count(DISTINCT ${id})::DOUBLE AS ${id}s`)].join();
}

export function totalsOf(members: string, ids: readonly Id[]): string {
  return `WITH member AS MATERIALIZED (SELECT key, ${ids.join(', ')} FROM (${members}))
    SELECT CAST(key AS VARCHAR) AS key, count(*)::DOUBLE AS visits, ${ids.map((id) => `NULL AS ${id}s`).join(', ')}
    FROM member GROUP BY key
    UNION ALL SELECT NULL, NULL, ${ids.map((id) => `count(DISTINCT ${id})::DOUBLE`).join(', ')} FROM member`;
}

/** The same, with what is kept: visits by key, and distinct ids by key; members are those of all other visits. */
export function uniquesWith(tables: readonly string[], members: string, { by }: CountedBy, ids: readonly Id[]): string {
  const found = ids.map((id) => `coalesce(${id}s.number, 0)::DOUBLE AS ${id}s`);
  return `${withDistinct(tables, members, { ids, key: by === 'nothing' ? '0' : 'key' })}
    SELECT CAST(counts.key AS VARCHAR) AS key, counts.visits::DOUBLE AS visits, ${found.join(', ')} FROM counts
    ${ids.map((id) => `LEFT JOIN ${id}s ON ${id}s.key IS NOT DISTINCT FROM counts.key`).join(' ')}`;
}

export function totalsWith(tables: readonly string[], members: string, ids: readonly Id[]): string {
  return `${withDistinct(tables, members, { ids, key: '0' })}
    SELECT CAST(key AS VARCHAR) AS key, visits::DOUBLE AS visits, ${ids.map((id) => `NULL AS ${id}s`).join(', ')} FROM counts
    UNION ALL SELECT NULL, NULL, ${ids.map((id) => `(SELECT coalesce(sum(number), 0)::DOUBLE FROM ${id}s)`).join(', ')}`;
}

/** An id is counted once: distinct ones that are kept, and those of the members, without those that are both. */
function withDistinct(
  [counts, ...kept]: readonly string[],
  members: string,
  { ids, key }: { ids: readonly Id[]; key: string },
): string {
  const sums = ids.map((id, nth) => {
    const known = key === '0' ? `(SELECT 0 AS key, id FROM ${kept[nth]})` : kept[nth];
    const both = `FROM ${known} AS kept SEMI JOIN new_${id} AS new ON kept.id = new.id AND kept.key IS NOT DISTINCT FROM new.key`;
    return `new_${id} AS MATERIALIZED (SELECT DISTINCT ${key} AS key, ${id} AS id FROM member WHERE ${id} IS NOT NULL),
      ${id}s AS (SELECT key, sum(number) AS number FROM (
        SELECT key, count(*) AS number FROM ${known} GROUP BY key
        UNION ALL SELECT key, count(*) FROM new_${id} GROUP BY key
        UNION ALL SELECT kept.key, -count(*) ${both} GROUP BY kept.key
      ) GROUP BY key)`;
  });
  return `WITH member AS MATERIALIZED (${members}),
    counts AS (
      SELECT key, sum(visits) AS visits
      FROM (FROM ${counts} UNION ALL SELECT key, count(*) FROM member GROUP BY key) GROUP BY key
    ), ${sums.join(', ')}`;
}
