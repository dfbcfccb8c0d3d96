import type { KafkaAdmin } from '@hopcount/kafka';
import { inTime } from '@hopcount/runtime';
import type { PartitionEnd } from '@hopcount/statistics';

import type { ApiMetrics } from '../api.metrics.js';
import type { Settings } from '../settings.js';

export interface KnownLogEnds {
  /** null: Kafka did not answer in time. */
  logEnd: PartitionEnd[] | null;
  /** Epoch milliseconds before which everything published is below `logEnd`. */
  logEndReadAt: number;
}

const FRESH_MS = 1_000;
const WAIT_MS = 1_000;
/** After a failure nobody waits for so long; attempts go on in the background. */
const GIVE_UP_MS = 5_000;

/**
 * Where the visits topic ends, asked for at most once a second however many statistics are read, and
 * never waited for longer than a second: statistics come from PostgreSQL and must not need Kafka.
 */
export class VisitLogEnds {
  #known: { logEnd: PartitionEnd[]; logEndReadAt: number } | undefined;
  #asking: Promise<void> | undefined;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly admin: Pick<KafkaAdmin, 'topicOffsets'>,
    private readonly metrics: Pick<ApiMetrics, 'kafkaOffsetFailures'>,
    private readonly settings: Pick<Settings, 'counting'>,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** Call before the statistics snapshot is taken. Never throws. */
  async read(): Promise<KnownLogEnds> {
    const fresh = this.#youngerThan(FRESH_MS);
    if (fresh !== undefined) return fresh;
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    // A failure is counted below, as an answer that is not there.
    if (this.nowMs() - this.#failedAtMs >= GIVE_UP_MS) await inTime(this.#asking, WAIT_MS).catch(() => undefined);
    const answer = this.#youngerThan(FRESH_MS + WAIT_MS);
    if (answer !== undefined) return answer;
    if (this.nowMs() - this.#failedAtMs >= GIVE_UP_MS) this.#failedAtMs = this.nowMs();
    this.metrics.kafkaOffsetFailures.inc();
    return { logEnd: null, logEndReadAt: this.nowMs() };
  }

  #youngerThan(limitMs: number): KnownLogEnds | undefined {
    const age = this.#known === undefined ? Infinity : this.nowMs() - this.#known.logEndReadAt;
    // A clock that stepped back makes an age negative; such an answer is not used either.
    return age >= 0 && age < limitMs ? this.#known : undefined;
  }

  async #ask(): Promise<void> {
    const logEndReadAt = this.nowMs();
    try {
      const offsets = await this.admin.topicOffsets(this.settings.counting.topic);
      this.#known = { logEnd: offsets.map(({ partition, high }) => ({ partition, high })), logEndReadAt };
      this.#failedAtMs = Number.NEGATIVE_INFINITY;
    } catch {
      // Counted by read(), which answers null: statistics do not need Kafka.
      this.#failedAtMs = this.nowMs();
    }
  }
}
