import {
  type CountedUniques,
  crossInLedger,
  type Crossing,
  type CountedBy,
  LEDGER_SELECTION,
  type LedgerSelect,
  type Matrix,
  matrixOf,
  type MatrixSize,
  newestOf,
  pageOf,
  type ScopeSources,
  type ScopeTotals,
  selectInLedger,
  toMatrix,
  toValueRows,
  type ValuePage,
  type ValueRows,
  VISIT_COLUMNS,
  type VisitFilter,
  type VisitsOf,
  type VisitsPage,
  type VisitsSum,
} from '@hopcount/archive';
import type { Transaction } from '@hopcount/postgres';

import { ledgerRelation } from './ledger-relation.js';
import { linksInBuckets } from './link-buckets.js';
import { orphanRelation, type OrphansOf } from './orphan-relation.js';

/** The same columns, in DuckDB's words and in PostgreSQL's. */
export interface SelectedColumns {
  inFiles: string;
  inLedger: string;
}

/** Visits of a scope counted over files and the ledger: in DuckDB, where files are read, else in PostgreSQL. */
export class ScopeCounts {
  constructor(
    private readonly tx: Transaction,
    private readonly of: VisitsOf | OrphansOf,
    private readonly sources: ScopeSources,
  ) {}

  async counts(by: CountedBy, filters: readonly VisitFilter[]): Promise<Map<string, number>> {
    await this.#prepare(by);
    const rest = this.#ledger('counts', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.counts(by, filters, rest);
    if (rest === undefined) return new Map();
    const rows = await this.tx.query<{ key: string; visits: number }>(
      `SELECT key::text AS key, visits::float8 AS visits FROM (${this.#here(rest)}) AS counted`,
    );
    return new Map(rows.map(({ key, visits }) => [key, visits]));
  }

  async uniques(by: CountedBy, filters: readonly VisitFilter[], hasIps: boolean): Promise<Map<string, CountedUniques>> {
    await this.#prepare(by);
    const rest = this.#ledger('members', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.uniques(by, filters, rest, hasIps);
    if (rest === undefined) return new Map();
    const ips = hasIps ? ', count(DISTINCT ip)::float8 AS ips' : '';
    const rows = await this.tx.query<{ key: string } & CountedUniques>(
      `SELECT key::text AS key, count(*)::float8 AS visits, count(DISTINCT visitor)::float8 AS visitors${ips}
       FROM (${this.#here(rest)}) AS member GROUP BY key`,
    );
    return new Map(rows.map(({ key, ...found }) => [key, found]));
  }

  /** Visits by class, and distinct visitors of them all: files are read once for both. */
  async totals(filters: readonly VisitFilter[], hasIps: boolean): Promise<ScopeTotals> {
    const { files } = this.sources;
    if (files !== undefined) return files.totals(filters, this.#ledger('members', { by: 'class' }, filters), hasIps);
    const counts = await this.counts({ by: 'class' }, filters);
    const found = (await this.uniques({ by: 'nothing' }, filters, hasIps)).get('0');
    const uniques = { visitors: found?.visitors ?? 0, ...(hasIps && { ips: found?.ips ?? 0 }) };
    return { counts, uniques };
  }

  async page(by: CountedBy, filters: readonly VisitFilter[], page: ValuePage): Promise<ValueRows> {
    const rest = this.#linksInBuckets(by, filters) ?? this.#ledger('counts', by, filters);
    if (this.sources.files !== undefined) return this.sources.files.page(by, filters, rest, page);
    if (rest === undefined) return { rows: [], values: 0, visits: 0 };
    return toValueRows(await this.tx.query(pageOf(this.#here(rest), page, 'float8')));
  }

  async matrix(by: Crossing, filters: readonly VisitFilter[], size: MatrixSize): Promise<Matrix> {
    const { files } = this.sources;
    const ledger = crossInLedger(by);
    const rest = this.#rest(ledger.columns, filters, (visits) => ledger.counts(visits));
    if (files !== undefined) return files.matrix(by, filters, rest, size);
    return toMatrix(rest === undefined ? [] : await this.tx.query(matrixOf(this.#here(rest), size, 'float8')));
  }

  async sum(filters: readonly VisitFilter[]): Promise<VisitsSum> {
    const { files } = this.sources;
    const sum = 'SELECT count(*) AS visits, bit_xor(event_checksum(event_id)) AS checksum';
    const rest = this.#rest(['event_id'], filters, (visits) => `${sum} FROM ${visits}`);
    if (files !== undefined) return files.sum(filters, rest);
    if (rest === undefined) return { visits: 0, checksum: '0' };
    const [found] = await this.tx.query<VisitsSum>(
      `SELECT visits::float8 AS visits, coalesce(checksum, 0)::text AS checksum FROM (${this.#here(rest)}) AS part`,
    );
    return found ?? { visits: 0, checksum: '0' };
  }

  /** Newest first. `columns`: what is wanted of the ledger's columns, in words of both. */
  async list<Row>(columns: SelectedColumns, filters: readonly VisitFilter[], page: VisitsPage): Promise<Row[]> {
    const { files } = this.sources;
    const names = VISIT_COLUMNS.map(({ name }) => name);
    const rest = (selected: string) => this.#rest(names, filters, (visits) => newestOf(visits, selected, page));
    if (files !== undefined) return files.list(columns.inFiles, filters, rest(LEDGER_SELECTION), page);
    const newest = rest(columns.inLedger);
    return newest === undefined ? [] : this.tx.query<Row & object>(this.#here(newest));
  }

  /** What files do not answer; undefined: there is nothing. */
  #rest(
    columns: readonly string[],
    filters: readonly VisitFilter[],
    select: (visits: string) => string,
  ): LedgerSelect | undefined {
    const { of, sources } = this;
    if (sources.fromLedger.length === 0) return undefined;
    const relation = 'orphans' in of ? orphanRelation.bind(null, of) : ledgerRelation.bind(null, of);
    return (ranges) => select(relation(ranges, columns, filters));
  }

  /** Without files. */
  #here(rest: LedgerSelect): string {
    return rest(this.sources.fromLedger);
  }

  async #prepare(by: CountedBy): Promise<void> {
    if (by.by === 'point') await this.sources.files?.preparePoints(by.starts);
  }

  #linksInBuckets(by: CountedBy, filters: readonly VisitFilter[]): LedgerSelect | undefined {
    const { of, sources } = this;
    if (by.by !== 'value' || by.of !== 'link' || 'orphans' in of || sources.fromLedger.length === 0) return undefined;
    return linksInBuckets(of, filters);
  }

  #ledger(relation: 'counts' | 'members', by: CountedBy, filters: readonly VisitFilter[]): LedgerSelect | undefined {
    const selections = selectInLedger(by);
    return this.#rest(selections.columns, filters, (visits) => selections[relation](visits));
  }
}
