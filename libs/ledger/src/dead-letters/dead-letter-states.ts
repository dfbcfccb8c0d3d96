import type { TopicRecord } from '@hopcount/kafka';
import { type Database, loadSql } from '@hopcount/postgres';

const READ_STATES = loadSql(import.meta.url, 'sql/read-states.sql');
const MARK_LETTERS = loadSql(import.meta.url, 'sql/mark-letters.sql');

/** A letter waits until it is sent again or given up; nothing leaves the topic before its retention ends. */
export type DeadLetterState = 'waiting' | 'redriven' | 'discarded';

type LetterPlace = Pick<TopicRecord, 'partition' | 'offset' | 'timestampMs'>;

/** What became of each dead letter, in PostgreSQL: Kafka keeps the letters, not their fate. */
export class DeadLetterStates {
  constructor(
    private readonly database: Database,
    private readonly topic: string,
  ) {}

  /** One state for each letter, in their order. */
  async read(letters: readonly LetterPlace[]): Promise<DeadLetterState[]> {
    const rows = await this.database.query<{ partition: number; letter_offset: string; state: DeadLetterState }>(
      READ_STATES,
      [this.topic, ...columns(letters)],
    );
    const states = new Map(rows.map((row) => [`${row.partition}@${row.letter_offset}`, row.state]));
    return letters.map(({ partition, offset }) => states.get(`${partition}@${offset}`) ?? 'waiting');
  }

  /** Places of the letters that this action sent again. */
  async redrivenBy(actionId: string): Promise<Set<string>> {
    const rows = await this.database.query<{ partition: number; offset: string }>(
      `SELECT partition, letter_offset::text AS "offset" FROM dead_letter_states
       WHERE topic = $1 AND action_id = $2 AND state = 'redriven'`,
      [this.topic, actionId],
    );
    return new Set(rows.map(placeOf));
  }

  async mark(letters: readonly LetterPlace[], state: 'redriven' | 'discarded', actionId: string): Promise<void> {
    await this.database.query(MARK_LETTERS, [this.topic, ...columns(letters), state, actionId]);
  }

  /** Deletes what is known of letters that left the topic: there are never more states than letters for long. */
  async forgetGone(logs: readonly { partition: number; low: bigint }[]): Promise<void> {
    for (const { partition, low } of logs) {
      await this.database.query(
        'DELETE FROM dead_letter_states WHERE topic = $1 AND partition = $2 AND letter_offset < $3',
        [this.topic, partition, low.toString()],
      );
    }
  }
}

export function placeOf({ partition, offset }: { partition: number; offset: bigint | string }): string {
  return `${partition}@${offset}`;
}

function columns(letters: readonly LetterPlace[]): unknown[] {
  return [
    letters.map((letter) => letter.partition),
    letters.map((letter) => letter.offset.toString()),
    letters.map((letter) => new Date(letter.timestampMs).toISOString()),
  ];
}
