import { type DeadLetterText, describeDeadLetter } from '@hopcount/contracts';
import type { KafkaConnection, OffsetRange, TopicRecord } from '@hopcount/kafka';

import type { DeadLetterState, DeadLetterStates } from './dead-letter-states.js';

export interface Letter {
  record: TopicRecord;
  about: DeadLetterText;
  state: DeadLetterState;
}

export interface LetterWalk {
  connection: KafkaConnection;
  topic: string;
  ranges: readonly OffsetRange[];
  states: Pick<DeadLetterStates, 'read'>;
  /** Which letters are handed over. */
  matches: (letter: Letter) => boolean;
  /** How many at most. */
  limit: number;
  onLetters: (letters: Letter[]) => Promise<void> | void;
  onProgress?: (read: number) => void;
}

/** Hands over the letters of a range that match, oldest first within each partition. Resolves with how many were looked at. */
export async function walkLetters(walk: LetterWalk): Promise<number> {
  const { readTopicRanges } = await import('@hopcount/kafka');
  const enough = new AbortController();
  let read = 0;
  let handed = 0;
  await readTopicRanges(walk.connection, {
    topic: walk.topic,
    ranges: walk.ranges,
    signal: enough.signal,
    onRecords: async (records) => {
      const states = await walk.states.read(records);
      const letters = records.map((record, index) => ({
        record,
        about: describeDeadLetter(record),
        state: states[index] ?? 'waiting',
      }));
      const chosen = letters.filter(walk.matches).slice(0, walk.limit - handed);
      read += records.length;
      handed += chosen.length;
      if (chosen.length > 0) await walk.onLetters(chosen);
      walk.onProgress?.(read);
      if (handed >= walk.limit) enough.abort();
    },
  });
  return read;
}
