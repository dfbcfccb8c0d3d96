import type { PartitionLag } from '@hopcount/ledger';
import { isAppError } from '@hopcount/runtime';
import { Option } from 'commander';

import { describeError } from '../cli.errors.js';
import { withServices } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { untilInterrupted } from '../lag/until-interrupted.js';
import { parseSeconds } from '../operator-actions/options.js';
import type { Column, OutputFormat } from '../output/output.js';
import { whileAnswering } from '../while-answering.js';

const HELP = `
"pending" is what was published and is not yet counted in PostgreSQL; "committed" is Kafka's own
note of the group, a hint only; "lost" was removed by retention before it was counted. The last
record's age is null until a partition was read once. A broker or a PostgreSQL that hangs is named
within 5 seconds, exit code 1.
--watch repeats the output every 2 seconds, or at the interval you give, until Ctrl-C (exit code 0).
On a terminal it refreshes in place; otherwise it prints one block after another. If PostgreSQL or
Kafka is down, it says so and keeps trying.

Examples:
  $ hopcount lag
  $ hopcount lag --watch
  $ hopcount lag --watch 10 -o json
  $ hopcount lag -o json | jq .pending`;

const WATCH_SECONDS = 2;

export const registerLag: RegisterCommand = (parent, context) => {
  parent
    .command('lag')
    .description('how far the statistics are behind the visits topic, per partition')
    .addOption(
      new Option('--watch [seconds]', `print it again every so many seconds (${WATCH_SECONDS}) until Ctrl-C`)
        .preset(String(WATCH_SECONDS))
        .argParser(parseSeconds),
    )
    .addHelpText('after', HELP)
    .action(async ({ output, watch }: OutputOptions & { watch?: number }) => {
      if (watch === undefined) return showLag(context, output);
      await untilInterrupted(watch * 1_000, () => showAgain(context, output));
    });
};

async function showLag(context: CliContext, output: OutputFormat, begin?: () => void): Promise<void> {
  const config = context.config();
  const { readLag, totalLost, totalPending } = await import('@hopcount/ledger');
  const partitions = await whileAnswering(config, ['Kafka', 'PostgreSQL'], (used) =>
    withServices({ ...context, config: () => used }, readLag),
  );
  begin?.();
  const pending = totalPending(partitions);
  const lost = totalLost(partitions);
  context.terminal.rows(output, COLUMNS, partitions, (rows) => ({
    group: config.consumerGroup,
    topic: config.visitsTopic,
    pending: Number(pending),
    lost: Number(lost),
    partitions: rows,
  }));
  const nothingWaits = lost > 0n ? 'Everything the log still holds is counted.' : 'Everything published is counted.';
  context.terminal.message(pending === 0n ? nothingWaits : `${pending} published and not yet counted.`);
  if (lost > 0n) context.terminal.message(`LOST: ${lost} removed by retention before they were counted.`);
}

/** One block; services that are away are what it says then. */
async function showAgain(context: CliContext, output: OutputFormat): Promise<void> {
  const begin = () => context.terminal.beginBlock(new Date().toISOString());
  try {
    await showLag(context, output, begin);
  } catch (error) {
    if (!isAppError(error, 'service-unreachable')) throw error;
    begin();
    context.terminal.error(describeError(error));
  }
}

const COLUMNS: Column<PartitionLag>[] = [
  { name: 'partition', heading: 'partition', value: (row) => row.partition, align: 'right' },
  { name: 'logEnd', heading: 'log end', value: (row) => Number(row.logEnd), align: 'right' },
  { name: 'checkpoint', heading: 'checkpoint', value: (row) => offset(row.checkpoint), align: 'right' },
  { name: 'committed', heading: 'committed', value: (row) => offset(row.committed), align: 'right' },
  { name: 'pending', heading: 'pending', value: (row) => Number(row.pending), align: 'right' },
  { name: 'lost', heading: 'lost', value: (row) => Number(row.lost), align: 'right' },
  { name: 'lastRecordAgeMs', heading: 'last record age ms', value: (row) => row.lastRecordAgeMs, align: 'right' },
];

function offset(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
