import type { ArchiveReader, VisitsOf } from '@hopcount/archive';
import { HOUR_MS, type InstantRange } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { type Comparison, readDoubtedPart } from '../read/exactness.js';
import { expectAffordable, type VisitsAtMost } from './affordable.js';
import { ScopeCounts } from './scope-counts.js';
import { findWrongSums, readFew } from './scope-traffic.js';

/** Looks at visits of a scope, under one snapshot, and knows where they were read and what nobody knows. */
export class LookedAt {
  /** That answered without a look at visits. */
  days = 0;
  #unknown: InstantRange[] = [];
  #doubted: InstantRange[] = [];
  readonly #compared: Comparison[] = [];
  /** Each as often as it was looked at. */
  #fromLedger: InstantRange[] = [];
  #files = 0;

  constructor(
    private readonly tx: Transaction,
    private readonly archive: Pick<ArchiveReader, 'visits' | 'unknown'>,
    private readonly of: VisitsOf,
    private readonly atMost: VisitsAtMost,
    /** `looks`: where a range is looked at again and again, how often each time; absent: visits are looked at once. */
    private readonly how: { looks?: number | undefined; signal: AbortSignal | undefined },
  ) {}

  /** Of all that are looked at. @throws AppError `question-too-expensive` */
  async expectAffordable(ranges: readonly InstantRange[], of = this.of): Promise<void> {
    const { tx, atMost, how } = this;
    if (ranges.length > 0) await expectAffordable(tx, of, ranges, { atMost, part: 'files', looks: how.looks });
  }

  /** @throws AppError `question-too-expensive`: too many of those looked at until now are in the ledger only */
  async visits<T>({ from, to }: InstantRange, work: (counts: ScopeCounts) => Promise<T>, of = this.of): Promise<T> {
    const { tx, atMost, how } = this;
    const question = { of, from, to, signal: how.signal };
    const { found, sources } = await this.archive.visits(tx, question, async (given) => {
      if (given.fromLedger.length > 0) {
        const looks = [...this.#fromLedger, ...given.fromLedger];
        const ranges = how.looks === undefined ? joined(looks) : looks;
        await expectAffordable(tx, of, ranges, { atMost, part: 'ledger', looks: how.looks });
      }
      return { found: await work(new ScopeCounts(tx, of, given)), sources: given };
    });
    this.#unknown = joined([...this.#unknown, ...sources.unknown]);
    this.#fromLedger.push(...sources.fromLedger);
    this.#files += sources.files?.number ?? 0;
    return found;
  }

  /** Of a range that was answered from sums: whether the visits that were added up are still there. */
  async judge({ from, to }: InstantRange): Promise<void> {
    const unknown = await this.archive.unknown(this.tx, { of: this.of, from, to, signal: this.how.signal });
    this.#unknown = joined([...this.#unknown, ...unknown]);
  }

  /** Nothing that is said of sums known to be wrong is exact. */
  async judgeDoubted(range: InstantRange): Promise<void> {
    this.#doubt(...(await readDoubtedPart(this.tx, range)));
  }

  /**
   * Whether looking at all visits that the ledger has of whole buckets costs next to nothing. Where sums alone say
   * that they are few, sums are wrong.
   */
  async hasFewVisits(range: InstantRange, of = this.of): Promise<boolean> {
    const few = await readFew(this.tx, of, range);
    if (few.sums && !few.visits) this.#doubt(range);
    return few.visits;
  }

  /** Of sums that were used. `among`: as of findWrongSums(). */
  async compareFew(range: InstantRange, among: VisitsOf): Promise<void> {
    this.#doubt(...(await findWrongSums(this.tx, this.of, range, among)));
  }

  #doubt(...ranges: readonly InstantRange[]): void {
    this.#doubted = joined([...this.#doubted, ...ranges]);
  }

  /** What was counted twice: whether the answer is exact depends on both counts being equal. */
  compare(comparison: Comparison): void {
    this.#compared.push(comparison);
  }

  /** After all is read. */
  state() {
    const ledgerMs = joined(this.#fromLedger).reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      unknown: this.#unknown,
      doubted: this.#doubted,
      compared: this.#compared,
      isAttributed: true,
      readFrom: { days: this.days, files: this.#files, ledgerHours: Math.ceil(ledgerMs / HOUR_MS) },
    };
  }
}

/** Ascending, and apart: the edges of a range may be looked at beside it. */
function joined(ranges: readonly InstantRange[]): InstantRange[] {
  const apart: InstantRange[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}
