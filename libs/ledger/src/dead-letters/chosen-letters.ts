import type { KafkaAdmin, KafkaConnection, OffsetRange } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import type { ShowsProgress } from '@hopcount/runtime';

import { chooseRanges, countOffsets } from '../operations/offset-ranges.js';
import { DeadLetterStates } from './dead-letter-states.js';
import { type Letter, walkLetters } from './walk-letters.js';

export interface LetterServices {
  config: { deadLetterTopic: string };
  connection: KafkaConnection;
  database: Database;
  admin: Pick<KafkaAdmin, 'topicNames' | 'topicOffsets'>;
  shown: ShowsProgress;
}

/** Which dead letters a command or job is about. */
export interface LetterChoice {
  reason?: string | undefined;
  partition?: readonly number[] | undefined;
  fromOffset?: bigint | undefined;
  toOffset?: bigint | undefined;
}

/** Where the letters are that are there now. @throws AppError `bad-range` */
export async function letterRanges(
  { config, admin }: Pick<LetterServices, 'config' | 'admin'>,
  { partition: partitions, fromOffset: from, toOffset: to }: LetterChoice,
): Promise<OffsetRange[]> {
  const logs = (await admin.topicNames()).includes(config.deadLetterTopic)
    ? await admin.topicOffsets(config.deadLetterTopic)
    : [];
  return chooseRanges(logs, { partitions, from, to });
}

/** Walks the letters of the ranges that were put aside for the reason. @returns how many were looked at */
export async function walkChosenLetters(
  { config, connection, shown, database }: LetterServices,
  { ranges, reason }: { ranges: readonly OffsetRange[]; reason?: string | undefined },
  walk: {
    limit: number;
    matches?: (letter: Letter) => boolean;
    onLetters: (letters: Letter[]) => Promise<void> | void;
  },
): Promise<number> {
  const progress = shown.startProgress('dead letters', countOffsets(ranges));
  const found = await walkLetters({
    ...{ connection, topic: config.deadLetterTopic, ranges },
    states: new DeadLetterStates(database, config.deadLetterTopic),
    limit: walk.limit,
    matches: (letter) => (reason === undefined || letter.about.reason === reason) && (walk.matches?.(letter) ?? true),
    onLetters: walk.onLetters,
    onProgress: (read) => progress.at(read),
  });
  progress.end();
  return found;
}
