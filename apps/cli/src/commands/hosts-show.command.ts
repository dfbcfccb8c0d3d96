import { HOST_SCOPES, type HostKind, type HostScope, INTERVALS, type RangePreset } from '@hopcount/contracts';
import type { HostSeriesRow } from '@hopcount/statistics';
import { type Command, Option } from 'commander';

import { withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';
import { parseZone, presetOption } from '../replay/time-range.js';
import { hostNameOf, kindOption, NOT_EXACT } from './hosts-top.command.js';

const HELP = `
Visits of a name and of all below it (--scope self: the name alone; below: *.name; children: one label below), by interval of the zone.

Examples:
  $ hopcount hosts show example.com
  $ hopcount hosts show example.com --range today --interval hour --time-zone Europe/Berlin
  $ hopcount hosts show example.com --scope below --start 2026-11-01 --end 2026-11-30 --time-zone Europe/Berlin`;

export interface SeriesOptions extends OutputOptions {
  kind: HostKind;
  scope: HostScope;
  start?: string;
  end?: string;
  range?: RangePreset;
  timeZone?: string;
  interval: string;
}

export const registerHostsShow: RegisterCommand = (parent, context) => {
  withSeriesOptions(parent.command('show <name>').description('visits of a host, or of the hosts below it'))
    .addHelpText('after', HELP)
    .action(async (name: string, options: SeriesOptions) => {
      const { asciiOf } = await import('@hopcount/hosts');
      const { starts, hosts, isExact } = await readSeries(context, [name], options);
      const host = hosts[0]!;
      const rows = starts.map((start, nth) => ({ start, visits: host.points[nth] ?? 0 }));
      context.terminal.rows(options.output, COLUMNS, rows);
      const { totals, allTime, children, dataCentres } = host;
      context.terminal.message(
        `${asciiOf(host.name)} (${options.scope}): ${plural(totals.visits, 'visit')}, ${totals.byClass.human} of people; ` +
          `${allTime.visits} of all time; ${plural(children, 'name')} below.`,
      );
      if (!isExact) context.terminal.message(NOT_EXACT);
      for (const { name: dc, visits, asOf } of dataCentres) {
        context.terminal.message(`${dc}: ${visits} of all time, as of ${asOf?.toISOString() ?? 'never'}.`);
      }
    });
};

export function withSeriesOptions(command: Command): Command {
  return command
    .addOption(kindOption())
    .addOption(new Option('--scope <scope>', 'which names').choices([...HOST_SCOPES]).default('subtree'))
    .option('--start <date>', 'first instant; default: 30 days before the end')
    .option('--end <date>', 'end; a date includes its day')
    .addOption(presetOption('start', 'end'))
    .option('--time-zone <zone>', 'IANA name; default UTC', parseZone)
    .addOption(new Option('--interval <interval>', 'of the series').choices([...INTERVALS]).default('day'));
}

/** Of what the archive has, too. */
export async function readSeries(
  context: CliContext,
  given: readonly string[],
  options: SeriesOptions,
  withWindows = false,
): Promise<{ starts: string[]; hosts: HostSeriesRow[]; isExact: boolean }> {
  const [{ exactnessOf, formatStarts, HostSeries, parseRange, seriesStarts }, { ArchiveReader, archiveRoot }] =
    await Promise.all([import('@hopcount/statistics'), import('@hopcount/archive')]);
  const names: string[] = [];
  for (const text of given) names.push(await hostNameOf(text));
  const { start: startDate, end: endDate, range: word, timeZone, interval, kind, scope } = options;
  const range = parseRange({ range: word, startDate, endDate, timeZone, interval }, Date.now());
  const starts = seriesStarts(range, range.interval, range.timeZone);
  const config = context.config();
  return withDatabase(config, async (database) => {
    const archive = new ArchiveReader(database, { root: archiveRoot(config), memoryMb: config.archiveMemory });
    try {
      const query = { kind, names, scope, from: range.from, to: range.to, starts };
      const { hosts, ...state } = await new HostSeries(database, archive).read({
        ...query,
        ...(withWindows ? { withWindows } : { withDataCentres: true }),
      });
      return { starts: formatStarts(starts, range.timeZone), hosts, isExact: exactnessOf(state).exact };
    } finally {
      await archive.close();
    }
  });
}

const COLUMNS: Column<{ start: string; visits: number }>[] = [
  { name: 'start', heading: 'start', value: (row) => row.start },
  { name: 'visits', heading: 'visits', value: (row) => row.visits, align: 'right' },
];
