import { DEAD_LETTER_HEADERS, DEAD_LETTER_TOPIC } from '@hopcount/contracts';
import { InvalidArgumentError } from 'commander';

import { asKafkaFailure, kafkaConnection } from '../connections.js';
import { type OutputOptions, outputOption, type RegisterCommand } from '../context.js';
import { describeDeadLetter, type DeadLetter } from '../dead-letter.js';
import type { Column } from '../output.js';

const MAX_LIMIT = 10_000;

const HELP = `
Reads the newest dead letters without changing anything: no consumer's place moves. ${DEAD_LETTER_HEADERS.reason} says
why an event could not be counted; the original key, bytes and headers are kept in the topic.

Examples:
  $ hopcount dead-letters list --limit 20
  $ hopcount dead-letters list -o json | jq 'group_by(.reason) | map({reason: .[0].reason, n: length})'`;

export const registerDeadLettersList: RegisterCommand = (parent, context) => {
  parent
    .command('list')
    .description('show the newest dead letters, oldest of them first')
    .option('--limit <n>', `how many at most (1 to ${MAX_LIMIT})`, parseLimit, 100)
    .addOption(outputOption())
    .addHelpText('after', HELP)
    .action(async ({ limit, output }: OutputOptions & { limit: number }) => {
      const config = context.config();
      const { readNewestRecords } = await import('@hopcount/kafka');
      const page = await asKafkaFailure(config, () =>
        readNewestRecords(kafkaConnection(config), { topic: DEAD_LETTER_TOPIC, limit }),
      );
      const { records, total } = page;
      context.terminal.rows(output, COLUMNS, records.map(describeDeadLetter));
      const older = total - BigInt(records.length);
      const rest = older > 0n ? `; ${older} older not shown (--limit)` : '';
      context.terminal.message(total === 0n ? 'No dead letters.' : `${records.length} dead letters${rest}.`);
    });
};

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_LIMIT}.`);
}

const COLUMNS: Column<DeadLetter>[] = [
  { name: 'time', heading: 'time', value: (letter) => letter.time },
  { name: 'reason', heading: 'reason', value: (letter) => letter.reason },
  { name: 'step', heading: 'step', value: (letter) => letter.step },
  {
    name: 'original',
    heading: 'topic[partition]@offset',
    value: (letter) => `${letter.originalTopic}[${letter.originalPartition}]@${letter.originalOffset}`,
  },
  { name: 'key', heading: 'key', value: (letter) => letter.key },
  { name: 'sizeBytes', heading: 'bytes', value: (letter) => letter.sizeBytes, align: 'right' },
  { name: 'detail', heading: 'detail', value: (letter) => letter.detail },
];
