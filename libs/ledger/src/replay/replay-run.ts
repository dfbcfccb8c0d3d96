import type { TopicRecord } from '@hopcount/kafka';

import { intoBatches, type RecordSender } from '../resend/record-sender.js';
import type { ExpectedCount } from '../verdicts/expected-count.js';
import type { JudgedVisit, Verdict, VisitJudge } from '../verdicts/visit-judge.js';

/** What became of the records of a range. */
const NO_RECORDS = {
  records: 0,
  counted: 0,
  /** Not in the ledger although the consumer is past them: what a replay would count. */
  missing: 0,
  /** Not counted because the consumer has not read them yet: no replay is needed. */
  notReadYet: 0,
  /** The same event once more within the range. */
  repeated: 0,
  purged: 0,
  refused: 0,
  otherLinks: 0,
  sent: 0,
};

export interface ReplayParts {
  topic: string;
  /** Filled here. */
  expected: ExpectedCount;
  judge: Pick<VisitJudge, 'judge'>;
  /** Only visits of these links; records that are no visits belong to none. */
  ofLink?: ((linkId: string) => boolean) | undefined;
  /** Every offset below was read by the consumer; undefined: not its topic, so all of it counts as read. */
  readUpTo?: ReadonlyMap<number, bigint> | undefined;
  /** Left out: the records are only judged. */
  sender?: Pick<RecordSender, 'send'> | undefined;
  /** Send what is counted already, too: proves that it changes nothing. */
  resendCounted?: boolean;
  ratePerSecond?: number | undefined;
}

/**
 * Holds the records of a range against the ledger and sends those that are missing to be counted, with
 * the key and bytes they had. The ledger keeps the state: after a kill the next run finds less missing.
 */
export class ReplayRun {
  readonly refusedBy = new Map<string, number>();
  readonly tally = { ...NO_RECORDS };

  constructor(private readonly parts: ReplayParts) {}

  get expected(): ExpectedCount {
    return this.parts.expected;
  }

  async take(records: readonly TopicRecord[]): Promise<void> {
    const verdicts = await this.parts.judge.judge(records.map((record) => record.value));
    const chosen = records.filter((record, index) => {
      const verdict = verdicts[index];
      return verdict !== undefined && this.#choose(record, verdict);
    });
    this.tally.records += records.length;
    const { sender, topic, ratePerSecond } = this.parts;
    if (sender === undefined) return;
    const items = chosen.map((record) => ({
      record: { key: record.key, value: record.value, headers: record.headers },
      from: { topic, partition: String(record.partition), offset: record.offset.toString() },
    }));
    for (const batch of intoBatches(items, ratePerSecond)) {
      await sender.send(batch);
      this.tally.sent += batch.length;
    }
  }

  /** Whether the record is to be sent. */
  #choose(record: TopicRecord, verdict: Verdict): boolean {
    const { tally } = this;
    const { ofLink } = this.parts;
    if (verdict.kind === 'refused') {
      if (ofLink !== undefined) tally.otherLinks += 1;
      else this.#refuse(verdict.reason);
      return false;
    }
    if (ofLink !== undefined && !ofLink(verdict.visit.linkId)) {
      tally.otherLinks += 1;
      return false;
    }
    switch (verdict.kind) {
      case 'counted':
        tally.counted += 1;
        return this.parts.resendCounted === true;
      case 'purged':
        tally.purged += 1;
        return false;
      case 'missing':
        return this.#expect(record, verdict.visit);
    }
  }

  #expect(record: TopicRecord, visit: JudgedVisit): boolean {
    const { readUpTo } = this.parts;
    if (readUpTo !== undefined && record.offset >= (readUpTo.get(record.partition) ?? 0n)) {
      this.tally.notReadYet += 1;
      return false;
    }
    const first = this.parts.expected.add(visit);
    if (first) this.tally.missing += 1;
    else this.tally.repeated += 1;
    return first;
  }

  #refuse(reason: string): void {
    this.tally.refused += 1;
    this.refusedBy.set(reason, (this.refusedBy.get(reason) ?? 0) + 1);
  }
}
