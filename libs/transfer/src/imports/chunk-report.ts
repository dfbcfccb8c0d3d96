import type { AppError, ErrorCode } from '@hopcount/runtime';

import type { SkipReason } from '../sources/source-link.js';

type Reason = SkipReason | ErrorCode;

/** What becomes of a row. Of one that is several links (Bitly's back-halves) the first of these that one of them has. */
const OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A row of the file; the line on which it begins, where the file has lines. */
export interface Place {
  row: number;
  line?: number | undefined;
}

/** Something to say of a row. Without a `row` of its own: of the file. */
export interface Remark {
  row: number;
  line: number | null;
  field: string | null;
  reason: string;
  detail: string;
}

const MAX_DETAIL = 300;
const MAX_FIELD = 100;

/** What became of some rows of a file: each has one outcome in the end. */
export class ChunkReport {
  /** Visits that are new, and that were here already: rows among those that are created and unchanged. */
  visits = 0;
  existingVisits = 0;
  #outcomes = new Map<number, Outcome>();
  #remarks: Remark[] = [];

  copy(): ChunkReport {
    const copy = new ChunkReport();
    copy.#outcomes = new Map(this.#outcomes);
    copy.#remarks = [...this.#remarks];
    copy.visits = this.visits;
    copy.existingVisits = this.existingVisits;
    return copy;
  }

  settle({ row }: Place, outcome: Outcome): void {
    const before = this.#outcomes.get(row);
    if (before === undefined || OUTCOMES.indexOf(outcome) < OUTCOMES.indexOf(before)) this.#outcomes.set(row, outcome);
  }

  refuse(place: Place, reason: Reason, detail: string, field?: string | null): void {
    this.settle(place, 'refused');
    this.note(place, reason, detail, field);
  }

  /** As the creation of that link would be. */
  refuseAs(place: Place, error: AppError): void {
    this.refuse(place, error.code, error.message, fieldOf(error));
  }

  /** Something to say of a row that is taken. */
  note({ row, line }: Place, reason: Reason, detail: string, field: string | null = null): void {
    const text = { field: field && storable(field, MAX_FIELD), detail: storable(detail, MAX_DETAIL) };
    this.#remarks.push({ row, line: line ?? null, reason, ...text });
  }

  /** In the order of the rows. */
  get remarks(): Remark[] {
    return [...this.#remarks].sort((a, b) => a.row - b.row);
  }

  get reasons(): Record<string, number> {
    const reasons: Record<string, number> = {};
    for (const { reason } of this.#remarks) reasons[reason] = (reasons[reason] ?? 0) + 1;
    return reasons;
  }

  count(outcome: Outcome): number {
    return [...this.#outcomes.values()].filter((one) => one === outcome).length;
  }

  /** For advance-import.sql. */
  values(): unknown[] {
    const counts = OUTCOMES.map((outcome) => this.count(outcome));
    return [...counts, JSON.stringify(this.reasons), JSON.stringify(this.remarks), this.visits, this.existingVisits];
  }
}

function fieldOf({ code, details }: AppError): string | null {
  const [named] = (details['invalidElements'] ?? []) as string[];
  if (named !== undefined) return named === 'customSlug' ? 'shortCode' : named;
  if (code === 'non-unique-slug' || code === 'reserved-slug') return 'shortCode';
  return code === 'unsafe-target' ? 'longUrl' : null;
}

/** PostgreSQL holds neither U+0000 nor half a surrogate pair in text. */
function storable(text: string, length: number): string {
  const plain = text.replace(/[\u0000\p{Cs}]/gu, '?').slice(0, length);
  return plain.replace(/\p{Cs}/gu, '');
}
