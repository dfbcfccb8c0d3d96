import { loadSql, type Queryable } from '@hopcount/postgres';

import type { JudgedVisit } from './visit-judge.js';

const COUNT_VISITS = loadSql(import.meta.url, 'sql/count-visits.sql');
const IDS_PER_STATEMENT = 5_000;

/** The visits an operation has to add to the ledger, each once: its expected count change. */
export class ExpectedCount {
  readonly #occurredAtMs = new Map<string, number>();

  /** False when the visit is expected already (the same event stands twice in what is read). */
  add(visit: JudgedVisit): boolean {
    if (this.#occurredAtMs.has(visit.eventId)) return false;
    this.#occurredAtMs.set(visit.eventId, visit.occurredAtMs);
    return true;
  }

  get size(): number {
    return this.#occurredAtMs.size;
  }

  /** How many of them the ledger holds now: the actual count change, since it held none of them before. */
  async counted(queryable: Queryable): Promise<number> {
    const visits = [...this.#occurredAtMs];
    let counted = 0;
    for (let start = 0; start < visits.length; start += IDS_PER_STATEMENT) {
      const some = visits.slice(start, start + IDS_PER_STATEMENT);
      const [row] = await queryable.query<{ counted: number }>(COUNT_VISITS, [
        some.map(([, occurredAtMs]) => new Date(occurredAtMs).toISOString()),
        some.map(([eventId]) => eventId),
      ]);
      counted += row?.counted ?? 0;
    }
    return counted;
  }
}
