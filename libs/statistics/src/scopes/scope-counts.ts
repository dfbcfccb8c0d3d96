import {
  type CountedBy,
  type FoundUniques,
  pageOf,
  type ScopeSources,
  selectInLedger,
  toValueRows,
  type ValuePage,
  type ValueRows,
  type VisitFilter,
  type VisitsOf,
} from '@hopcount/archive';
import type { Transaction } from '@hopcount/postgres';

import { ledgerRelation } from './ledger-relation.js';

/** Visits of a scope counted over files and the ledger: in DuckDB, where files are read, else in PostgreSQL. */
export class ScopeCounts {
  constructor(
    private readonly tx: Transaction,
    private readonly of: VisitsOf,
    private readonly sources: ScopeSources,
  ) {}

  async counts(by: CountedBy, filters: readonly VisitFilter[]): Promise<Map<string, number>> {
    await this.#prepare(by);
    const rest = this.#ledger('counts', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.counts(by, filters, rest);
    if (rest === undefined) return new Map();
    const rows = await this.tx.query<{ key: string; visits: number }>(
      `SELECT key::text AS key, visits::float8 AS visits FROM (${rest}) AS counted`,
    );
    return new Map(rows.map(({ key, visits }) => [key, visits]));
  }

  async uniques(by: CountedBy, filters: readonly VisitFilter[], hasIps: boolean): Promise<Map<string, FoundUniques>> {
    await this.#prepare(by);
    const rest = this.#ledger('members', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.uniques(by, filters, rest, hasIps);
    if (rest === undefined) return new Map();
    const ips = hasIps ? ', count(DISTINCT ip)::float8 AS ips' : '';
    const rows = await this.tx.query<{ key: string } & FoundUniques>(
      `SELECT key::text AS key, count(DISTINCT visitor)::float8 AS visitors${ips}
       FROM (${rest}) AS member GROUP BY key`,
    );
    return new Map(rows.map(({ key, ...found }) => [key, found]));
  }

  async page(by: CountedBy, filters: readonly VisitFilter[], page: ValuePage): Promise<ValueRows> {
    const rest = this.#ledger('counts', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.page(by, filters, rest, page);
    if (rest === undefined) return { rows: [], values: 0, visits: 0 };
    return toValueRows(await this.tx.query(pageOf(rest, page, 'float8')));
  }

  async #prepare(by: CountedBy): Promise<void> {
    if (by.by === 'point') await this.sources.files?.preparePoints(by.starts);
  }

  #ledger(relation: 'counts' | 'members', by: CountedBy, filters: readonly VisitFilter[]): string | undefined {
    const { fromLedger } = this.sources;
    if (fromLedger.length === 0) return undefined;
    const selections = selectInLedger(by);
    return selections[relation](ledgerRelation(this.of, fromLedger, selections.columns, filters));
  }
}
