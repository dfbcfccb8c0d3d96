import { HOST_KINDS, HOST_ORDERS, type HostKind, type HostOrder } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';
import { Option } from 'commander';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Hosts one label below a name (top-level domains unless named), each with all below it, by visits of all time unless told otherwise. Kinds: target, the host
visits were sent to; referrer; short, the host that was asked. ~unknown: none could be read; ~rest: further names, not told apart.

Examples:
  $ hopcount hosts top
  $ hopcount hosts top --order-by excess
  $ hopcount hosts top --sites --kind referrer
  $ hopcount hosts top --kind referrer --below facebook.com -o json`;

export const NOT_EXACT =
  'These numbers are not exact: files lack some of the visits, or visits of dropped months were purged and the next sealing takes them out (see hopcount verify).';

export const kindOption = () =>
  new Option('--kind <kind>', 'by which host').choices([...HOST_KINDS]).default('target' satisfies HostKind);

/** @throws AppError `wrong-usage` */
export async function hostNameOf(text: string): Promise<string> {
  const { parseHostName } = await import('@hopcount/hosts');
  const host = parseHostName(text);
  if ('refused' in host) throw new AppError('wrong-usage', `${text} names no host: ${host.refused}.`);
  return host.name;
}

export const registerHostsTop: RegisterCommand = (parent, context) => {
  parent
    .command('top', { isDefault: true })
    .description('the hosts with the most visits')
    .addOption(kindOption())
    .option('--below <name>', 'below this name')
    .option('--sites', 'public suffix and one label, of all names, instead of what is one label below')
    .addOption(
      new Option(
        '--order-by <order>',
        'visits of all time, of the last five minutes, or how many of these are more than usual',
      ).choices([...HOST_ORDERS]),
    )
    .addOption(limitOption('hosts', 20, 1_000))
    .addHelpText('after', HELP)
    .action(
      async (
        options: OutputOptions & { kind: HostKind; below?: string; sites?: true; orderBy?: HostOrder; limit: number },
      ) => {
        const { asciiOf, isListedSuffix } = await import('@hopcount/hosts');
        if (options.sites === true && (options.below ?? options.orderBy) !== undefined)
          throw new AppError('wrong-usage', 'Sites are of all names, by visits of all time.');
        const { exactnessOfHostSums, HostLists } = await import('@hopcount/statistics');
        const below = options.below === undefined ? null : await hostNameOf(options.below);
        await withDatabase(context.config(), async (database) => {
          const { kind, orderBy, limit, output } = options;
          const lists = new HostLists(database, { isSuffix: isListedSuffix });
          const { hosts, next, isAttributed } =
            options.sites === true
              ? { ...(await lists.listSites({ kind, limit })), next: null }
              : await lists.list({ kind, below, orderBy, after: null, limit });
          const rows = hosts.map(({ name, byClass, ...host }) => ({
            host: asciiOf(name),
            ...host,
            human: byClass.human,
          }));
          context.terminal.rows(output, [...COLUMNS, ...MORE_COLUMNS[orderBy ?? 'visits']], rows);
          context.terminal.message(`Listed: ${plural(rows.length, 'host')}${next === null ? '' : ', there are more'}.`);
          if (!exactnessOfHostSums(isAttributed).exact) context.terminal.message(NOT_EXACT);
        });
      },
    );
};

interface Row {
  host: string;
  visits: number;
  human: number;
  own: number;
  children: number;
  window: number | null;
  usualVisits: number | null;
  excess: number | null;
}

const COLUMNS: Column<Row>[] = [
  { name: 'host', heading: 'host', value: (row) => row.host },
  { name: 'visits', heading: 'visits', value: (row) => row.visits, align: 'right' },
  { name: 'human', heading: 'of people', value: (row) => row.human, align: 'right' },
  { name: 'own', heading: 'own', value: (row) => row.own, align: 'right' },
  { name: 'children', heading: 'names below', value: (row) => row.children, align: 'right' },
];
const WINDOW: Column<Row> = {
  name: 'window',
  heading: 'last 5 min',
  value: (row) => row.window,
  align: 'right',
};
const usual = ({ usualVisits }: Row) => (usualVisits === null ? null : Math.round(usualVisits));
const MORE_COLUMNS: Record<HostOrder, Column<Row>[]> = {
  visits: [],
  window: [WINDOW],
  excess: [
    WINDOW,
    { name: 'usualVisits', heading: 'usual', value: usual, align: 'right' },
    { name: 'excess', heading: 'more', value: (row) => row.excess, align: 'right' },
  ],
};
