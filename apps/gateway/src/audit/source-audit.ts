import { checksumText, eventIdChecksum, eventIdTimeMs, MINUTE_MS, type SourceAuditV1 } from '@hopcount/contracts';

interface Minute {
  visits: number;
  hi: number;
  lo: number;
  lost: number;
  inDoubt: number;
  sequence: number;
  changed: boolean;
}

/** A reported minute is remembered so long, should anything be added to it after all. */
const REMEMBER_MS = 60 * MINUTE_MS;

/**
 * What this process made durable and what it could not, by the minute inside the event id, which is
 * also how `source_traffic` counts. Each visit is told of once, when its batch is settled.
 */
export class SourceAudit {
  readonly #minutes = new Map<number, Minute>();
  #reportedAny = false;

  constructor(
    private readonly source: string,
    /** What a visit without durability becomes: a redirect that is not counted, or a refusal. */
    private readonly onDurabilityFailure: 'refuse' | 'answer',
  ) {}

  durable(records: readonly { key: string }[]): void {
    for (const { key } of records) {
      const minute = this.#minuteOf(key);
      const { hi, lo } = eventIdChecksum(key);
      minute.visits += 1;
      minute.hi ^= hi;
      minute.lo ^= lo;
    }
  }

  /** `inDoubt`: they may come to Kafka all the same. */
  lost(records: readonly { key: string }[], { inDoubt }: { inDoubt: boolean }): void {
    for (const { key } of records) {
      const minute = this.#minuteOf(key);
      minute.lost += 1;
      if (inDoubt) minute.inDoubt += 1;
    }
  }

  /**
   * Reports of the minutes that ended at or before `endedBy` and changed since they were reported,
   * oldest first. They stay due until {@link reported}.
   */
  due(endedBy: number): SourceAuditV1[] {
    const ended = [...this.#minutes].filter(([start, { changed }]) => changed && start + MINUTE_MS <= endedBy);
    return ended.sort(([a], [b]) => a - b).map(([start, minute]) => this.#describe(start, minute, false));
  }

  /** Everything not reported yet, the last one `final`; empty when this process never had a visit. */
  last(nowMs: number): SourceAuditV1[] {
    const due = this.due(Number.POSITIVE_INFINITY);
    const newest = due.at(-1);
    if (newest !== undefined) newest.final = true;
    else if (this.#reportedAny) {
      const start = Math.max(nowMs - (nowMs % MINUTE_MS), ...this.#minutes.keys());
      due.push(this.#describe(start, this.#entry(start), true));
    }
    return due;
  }

  /** The reports are durable. What was added since `due` stays due. */
  reported(reports: readonly SourceAuditV1[]): void {
    for (const report of reports) {
      const minute = this.#minutes.get(report.minute);
      if (minute === undefined) continue;
      this.#reportedAny = true;
      minute.sequence = report.sequence;
      const lost = report.answered + report.refused;
      minute.changed = minute.visits !== report.visits || minute.lost !== lost;
    }
    const newest = reports.at(-1)?.minute ?? 0;
    for (const [start, { changed }] of this.#minutes) {
      if (!changed && start < newest - REMEMBER_MS) this.#minutes.delete(start);
    }
  }

  #minuteOf(eventId: string): Minute {
    const timeMs = eventIdTimeMs(eventId);
    const minute = this.#entry(timeMs - (timeMs % MINUTE_MS));
    minute.changed = true;
    return minute;
  }

  #entry(start: number): Minute {
    let minute = this.#minutes.get(start);
    if (minute === undefined) {
      minute = { visits: 0, hi: 0, lo: 0, lost: 0, inDoubt: 0, sequence: 0, changed: false };
      this.#minutes.set(start, minute);
    }
    return minute;
  }

  #describe(start: number, minute: Minute, final: boolean): SourceAuditV1 {
    const answered = this.onDurabilityFailure === 'answer' ? minute.lost : 0;
    return {
      version: 1,
      source: this.source,
      minute: start,
      sequence: minute.sequence + 1,
      visits: minute.visits,
      checksum: checksumText(minute.hi, minute.lo),
      answered,
      refused: minute.lost - answered,
      inDoubt: minute.inDoubt,
      final,
    };
  }
}
