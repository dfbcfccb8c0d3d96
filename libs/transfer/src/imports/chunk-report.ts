import type { ErrorCode } from '@hopcount/runtime';

import type { SkipReason } from '../sources/source-link.js';

type Reason = SkipReason | ErrorCode;

const MAX_TOLD = 1_000;
const MAX_DETAIL = 300;

/** What became of some rows of a file. */
export class ChunkReport {
  /** Visits that are new, and that were here already. */
  visits = 0;
  existingVisits = 0;
  created = 0;
  existing = 0;
  skipped = 0;
  reasons: Record<string, number> = {};
  told: { row: number; reason: Reason; detail: string }[] = [];

  copy(): ChunkReport {
    const { reasons, told } = this;
    return Object.assign(new ChunkReport(), this, { reasons: { ...reasons }, told: [...told] });
  }

  /** A row that makes no link, and no visit. */
  skip(row: number, reason: Reason, detail: string): [] {
    this.skipped += 1;
    this.note(row, reason, detail);
    return [];
  }

  /** So many, and nobody can say which. */
  skipMany(count: number, reason: Reason): void {
    if (count === 0) return;
    this.skipped += count;
    this.reasons[reason] = (this.reasons[reason] ?? 0) + count;
  }

  /** Something to say of a row that does. */
  note(row: number, reason: Reason, detail: string): void {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
    if (this.told.length >= MAX_TOLD) return;
    // PostgreSQL holds neither in text.
    const text = detail.replace(/[\u0000\p{Cs}]/gu, '?').slice(0, MAX_DETAIL);
    this.told.push({ row, reason, detail: text.replace(/\p{Cs}/gu, '') });
  }

  /** For advance-import.sql. */
  values(): unknown[] {
    const { created, existing, skipped, reasons, told, visits, existingVisits } = this;
    return [created, existing, skipped, JSON.stringify(reasons), JSON.stringify(told), visits, existingVisits];
  }
}
