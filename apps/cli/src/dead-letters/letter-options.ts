import { DEAD_LETTER_REASONS } from '@hopcount/contracts';
import type { Letter } from '@hopcount/ledger';
import { type Command, Option } from 'commander';

import { kafkaConnection, type Services } from '../connections.js';
import { chooseRanges, countOffsets } from '../operator-actions/offset-ranges.js';
import { parseOffset, parsePartitions } from '../operator-actions/options.js';

/** Which dead letters a command is about. */
export interface LetterOptions {
  reason?: string;
  partition?: number[];
  fromOffset?: bigint;
  toOffset?: bigint;
}

export function addLetterOptions(command: Command): Command {
  return command
    .addOption(new Option('--reason <reason>', 'only letters put aside for this').choices(DEAD_LETTER_REASONS))
    .addOption(new Option('--partition <n>', 'only these partitions, e.g. 0,2').argParser(parsePartitions))
    .addOption(new Option('--from-offset <n>', 'first offset').argParser(parseOffset))
    .addOption(new Option('--to-offset <n>', 'offset after the last').argParser(parseOffset));
}

/** Walks the chosen letters that were there when it started. @throws AppError `bad-range` */
export async function walkChosenLetters(
  { config, terminal, database, admin }: Services,
  options: LetterOptions,
  walk: {
    limit: number;
    matches?: (letter: Letter) => boolean;
    onLetters: (letters: Letter[]) => Promise<void> | void;
  },
): Promise<number> {
  const { DeadLetterStates, walkLetters } = await import('@hopcount/ledger');
  const logs = (await admin.topicNames()).includes(config.deadLetterTopic)
    ? await admin.topicOffsets(config.deadLetterTopic)
    : [];
  const ranges = chooseRanges(logs, { partitions: options.partition, from: options.fromOffset, to: options.toOffset });
  const progress = terminal.startProgress('dead letters', countOffsets(ranges));
  const found = await walkLetters({
    connection: kafkaConnection(config),
    topic: config.deadLetterTopic,
    ranges,
    states: new DeadLetterStates(database, config.deadLetterTopic),
    limit: walk.limit,
    matches: (letter) =>
      (options.reason === undefined || letter.about.reason === options.reason) && (walk.matches?.(letter) ?? true),
    onLetters: walk.onLetters,
    onProgress: (read) => progress.at(read),
  });
  progress.end();
  return found;
}
