import type { Database } from '@hopcount/postgres';

import { readCheckpoints } from '../commit/partition-progress.js';

/** A partition's log: [low, high); empty when they are equal. */
export interface PartitionLog {
  partition: number;
  low: bigint;
  high: bigint;
}

export interface CountedUpToOptions {
  /** The consumers that count, and the topic they count. */
  group: string;
  topic: string;
  logEnds: () => Promise<PartitionLog[]>;
}

/**
 * Up to which moment everything published is counted. The time is noted first, the log's ends after it; once
 * the checkpoints have passed those ends, all that was published before that time is counted. No clock
 * decides, only this order.
 */
export class CountedUpTo {
  #waiting: { at: Date; ends: PartitionLog[] } | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: CountedUpToOptions,
  ) {}

  /**
   * @returns an instant by PostgreSQL's clock; undefined while visits published before the last look are not
   * counted: then the next call looks at the same ends. @throws when Kafka cannot be asked
   */
  async measure(): Promise<number | undefined> {
    this.#waiting ??= await this.#look();
    const { at, ends } = this.#waiting;
    if (await this.#passed(ends)) {
      this.#waiting = undefined;
      return at.getTime();
    }
    // The ends of a topic that was made anew will never be passed.
    if (isMadeAnew(ends, await this.options.logEnds())) this.#waiting = undefined;
    return undefined;
  }

  /** The database's clock: `received_at` of the gateways' reports is from the same. */
  async #look() {
    const [row] = await this.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (row === undefined) throw new Error('PostgreSQL told no time');
    return { at: row.now, ends: await this.options.logEnds() };
  }

  async #passed(ends: readonly PartitionLog[]): Promise<boolean> {
    const { group, topic } = this.options;
    const checkpoints = await readCheckpoints(this.database, group, topic);
    const reached = new Map(checkpoints.map(({ partition, nextOffset }) => [partition, nextOffset]));
    return ends.every(({ partition, low, high }) => low === high || (reached.get(partition) ?? 0n) >= high);
  }
}

/** Whether the topic is another one than when `before` was read: a log never ends earlier than it did. */
function isMadeAnew(before: readonly PartitionLog[], now: readonly PartitionLog[]): boolean {
  const ends = new Map(now.map(({ partition, high }) => [partition, high]));
  return before.some(({ partition, high }) => (ends.get(partition) ?? 0n) < high);
}
