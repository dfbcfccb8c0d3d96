import { DEAD_LETTER_REASONS } from '@hopcount/contracts';
import type { Letter } from '@hopcount/ledger';
import { type Command, Option } from 'commander';

import { kafkaConnection, type Services } from '../connections.js';
import { expectOffsetOrder, parseOffset, parsePartitions } from '../operator-actions/options.js';

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
export async function walkLettersOf(
  services: Services,
  options: LetterOptions,
  walk: {
    limit: number;
    matches?: (letter: Letter) => boolean;
    onLetters: (letters: Letter[]) => Promise<void> | void;
  },
): Promise<number> {
  expectOffsetOrder(options);
  const { letterRanges, walkChosenLetters } = await import('@hopcount/ledger');
  const ranges = await letterRanges(services, options);
  return walkChosenLetters(letterServices(services), { ranges, reason: options.reason }, walk);
}

export function letterServices({ config, database, admin, terminal }: Services) {
  return { config, database, admin, connection: kafkaConnection(config), shown: terminal };
}
