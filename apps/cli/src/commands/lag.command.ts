import type { PartitionLag } from '@hopcount/ledger';

import { withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import type { Column } from '../output/output.js';

const HELP = `
"pending" is what was published and is not yet counted in PostgreSQL; "committed" is Kafka's own
note of the group, a hint only; "lost" was removed by retention before it was counted. The last
record's age is null until a partition was read once.

Examples:
  $ hopcount lag
  $ hopcount lag -o json | jq .pending`;

export const registerLag: RegisterCommand = (parent, context) => {
  parent
    .command('lag')
    .description('how far the statistics are behind the visits topic, per partition')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const config = context.config();
      const { readLag, totalLost, totalPending } = await import('@hopcount/ledger');
      const partitions = await withServices(context, readLag);
      const pending = totalPending(partitions);
      context.terminal.rows(output, COLUMNS, partitions, (rows) => ({
        group: config.consumerGroup,
        topic: config.visitsTopic,
        pending: Number(pending),
        lost: Number(totalLost(partitions)),
        partitions: rows,
      }));
      const lost = totalLost(partitions);
      const nothingWaits =
        lost > 0n ? 'Everything the log still holds is counted.' : 'Everything published is counted.';
      context.terminal.message(pending === 0n ? nothingWaits : `${pending} published and not yet counted.`);
      if (lost > 0n) context.terminal.message(`LOST: ${lost} removed by retention before they were counted.`);
    });
};

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
