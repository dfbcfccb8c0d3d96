import { AppError } from '@hopcount/runtime';

import type { RegisterCommand } from '../context.js';
import type { Column } from '../output/output.js';
import { NOT_EXACT } from './hosts-top.command.js';
import { readSeries, type SeriesOptions, withSeriesOptions } from './hosts-show.command.js';

const MOST = 10;
const HELP = `
Visits of up to ${MOST} hosts and of all below each (or as --scope says), by interval of the zone.

Examples:
  $ hopcount hosts compare example.com example.org
  $ hopcount hosts compare a.example b.example --kind short --start 2026-11-01 -o csv`;

interface Row {
  start: string;
  visits: number[];
}

export const registerHostsCompare: RegisterCommand = (parent, context) => {
  withSeriesOptions(parent.command('compare <names...>').description('visits of some hosts, side by side'))
    .addHelpText('after', HELP)
    .action(async (names: string[], options: SeriesOptions) => {
      if (names.length > MOST) throw new AppError('wrong-usage', `Name ${MOST} hosts at most.`);
      const { asciiOf } = await import('@hopcount/hosts');
      const { starts, hosts, isExact } = await readSeries(context, names, options, true);
      const columns: Column<Row>[] = [{ name: 'start', heading: 'start', value: (row) => row.start }];
      for (const [nth, { name }] of hosts.entries()) {
        const host = asciiOf(name);
        columns.push({ name: host, heading: host, value: (row) => row.visits[nth] ?? 0, align: 'right' });
      }
      const rows = starts.map((start, nth) => ({ start, visits: hosts.map(({ points }) => points[nth] ?? 0) }));
      context.terminal.rows(options.output, columns, rows);
      const sums = hosts.map(
        ({ name, totals, allTime, window }) =>
          `${asciiOf(name)}: ${totals.visits}, ${window ?? 0} in the last five minutes, ${allTime.visits} of all time.`,
      );
      context.terminal.message(sums.join('\n'));
      if (!isExact) context.terminal.message(NOT_EXACT);
    });
};
