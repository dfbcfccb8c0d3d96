import { DEAD_LETTER_HEADERS, type DeadLetterText, describeDeadLetter } from '@hopcount/contracts';
import type { DeadLetterState } from '@hopcount/ledger';

import { kafkaConnection, withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';

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
    .addOption(limitOption('letters', 100, MAX_LIMIT))
    .addHelpText('after', HELP)
    .action(async ({ limit, output }: OutputOptions & { limit: number }) => {
      const config = context.config();
      const { readNewestRecords } = await import('@hopcount/kafka');
      const { DeadLetterStates } = await import('@hopcount/ledger');
      const { records, total, states } = await withServices(context, async ({ database }) => {
        const page = await readNewestRecords(kafkaConnection(config), { topic: config.deadLetterTopic, limit });
        return { ...page, states: await new DeadLetterStates(database, config.deadLetterTopic).read(page.records) };
      });
      const letters = records.map((record, index) => ({
        ...describeDeadLetter(record),
        place: `${record.partition}@${record.offset}`,
        state: states[index] ?? 'waiting',
      }));
      context.terminal.rows(output, COLUMNS, letters);
      const older = total - BigInt(records.length);
      const rest = older > 0n ? `; ${older} older not shown (--limit)` : '';
      context.terminal.message(total === 0n ? 'No dead letters.' : `${plural(records.length, 'dead letter')}${rest}.`);
    });
};

interface ListedLetter extends DeadLetterText {
  place: string;
  state: DeadLetterState;
}

const COLUMNS: Column<ListedLetter>[] = [
  { name: 'place', heading: 'place', value: (letter) => letter.place },
  { name: 'time', heading: 'time', value: (letter) => letter.time },
  { name: 'state', heading: 'state', value: (letter) => letter.state },
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
