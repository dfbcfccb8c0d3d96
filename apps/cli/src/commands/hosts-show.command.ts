import { HOST_SCOPES, type HostKind, type HostScope, INTERVALS } from '@hopcount/contracts';
import { Option } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';
import { hostNameOf, kindOption } from './hosts-top.command.js';

const HELP = `
Visits of a name and of all below it (--scope self: the name alone; below: *.name; children: one label below), by interval of the zone.

Examples:
  $ hopcount hosts show example.com
  $ hopcount hosts show example.com --scope below --start 2026-11-01 --end 2026-11-30 --time-zone Europe/Berlin`;

interface ShowOptions extends OutputOptions {
  kind: HostKind;
  scope: HostScope;
  start?: string;
  end?: string;
  timeZone?: string;
  interval: string;
}

export const registerHostsShow: RegisterCommand = (parent, context) => {
  parent
    .command('show <name>')
    .description('visits of a host, or of the hosts below it')
    .addOption(kindOption())
    .addOption(new Option('--scope <scope>', 'which names').choices([...HOST_SCOPES]).default('subtree'))
    .option('--start <date>', 'first instant; default: 30 days before the end')
    .option('--end <date>', 'end; a date includes its day')
    .option('--time-zone <zone>', 'IANA name; default UTC')
    .addOption(new Option('--interval <interval>', 'of the series').choices([...INTERVALS]).default('day'))
    .addHelpText('after', HELP)
    .action(async (text: string, options: ShowOptions) => {
      const { asciiOf } = await import('@hopcount/hosts');
      const { formatStarts, HostCounts, parseRange } = await import('@hopcount/statistics');
      const name = await hostNameOf(text);
      const { start: startDate, end: endDate, timeZone, interval, kind, scope } = options;
      const range = parseRange({ startDate, endDate, timeZone, interval }, Date.now());
      await withDatabase(context.config(), async (database) => {
        const counted = await new HostCounts(database).count({ kind, name, scope }, range);
        const starts = formatStarts(counted.starts, range.timeZone);
        const rows = starts.map((start, nth) => ({ start, visits: counted.visits[nth] ?? 0 }));
        context.terminal.rows(options.output, COLUMNS, rows);
        const { totals, allTime, children } = counted;
        context.terminal.message(
          `${asciiOf(name)} (${scope}): ${plural(totals.visits, 'visit')}, ${totals.byClass.human} of people; ` +
            `${allTime.visits} of all time; ${plural(children, 'name')} below.`,
        );
      });
    });
};

const COLUMNS: Column<{ start: string; visits: number }>[] = [
  { name: 'start', heading: 'start', value: (row) => row.start },
  { name: 'visits', heading: 'visits', value: (row) => row.visits, align: 'right' },
];
