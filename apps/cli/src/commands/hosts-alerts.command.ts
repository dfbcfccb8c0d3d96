import { HOST_KINDS, type SurgeExplanation } from '@hopcount/contracts';
import type { HostAlerts } from '@hopcount/statistics';

import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
Hosts with far more visits in five minutes than usual, in time of visits: those that still surge first, then the newest. With what most
of the visits came from: link, referrer, country, part of bots, and how many names below the host had some.

Examples:
  $ hopcount hosts alerts
  $ hopcount hosts alerts --limit 5 -o json`;

export const registerHostsAlerts: RegisterCommand = (parent, context) => {
  parent
    .command('alerts')
    .description('hosts that surge, or did')
    .addOption(limitOption('alerts', 20, 1_000))
    .addHelpText('after', HELP)
    .action(async ({ output, limit }: OutputOptions & { limit: number }) => {
      const { asciiOf } = await import('@hopcount/hosts');
      const { HostAlerts } = await import('@hopcount/statistics');
      await withDatabase(context.config(), async (database) => {
        const { alerts, next } = await new HostAlerts(database).list(null, limit);
        const rows = alerts.map(({ kind, name, ...alert }) => ({
          ...alert,
          kind: HOST_KINDS[kind] ?? '',
          host: asciiOf(name),
        }));
        context.terminal.rows(output, COLUMNS, rows);
        const open = alerts.filter(({ isOpen }) => isOpen).length;
        const more = next === null ? '' : ', there are more';
        context.terminal.message(`Listed: ${plural(rows.length, 'surge')}, ${open} open${more}.`);
      });
    });
};

type Row = Omit<Awaited<ReturnType<HostAlerts['list']>>['alerts'][number], 'kind' | 'name'> & {
  kind: string;
  host: string;
};

const COLUMNS: Column<Row>[] = [
  { name: 'host', heading: 'host', value: (row) => row.host },
  { name: 'kind', heading: 'kind', value: (row) => row.kind },
  { name: 'openedAt', heading: 'opened', value: (row) => row.openedAt.toISOString() },
  { name: 'escalatedAt', heading: 'doubled', value: (row) => row.escalatedAt?.toISOString() ?? null },
  { name: 'closedAt', heading: 'closed', value: (row) => row.closedAt?.toISOString() ?? null },
  { name: 'visits', heading: 'visits', value: (row) => row.visits, align: 'right' },
  { name: 'usualVisits', heading: 'usual', value: (row) => Math.round(row.usualVisits * 10) / 10, align: 'right' },
  { name: 'link', heading: 'top link', value: ({ explanation }) => linkOf(explanation) },
  { name: 'referrer', heading: 'top referrer', value: (row) => row.explanation?.referrers[0]?.referrer ?? null },
  { name: 'country', heading: 'top country', value: (row) => row.explanation?.countries[0]?.country ?? null },
  { name: 'botsPercent', heading: 'bots %', value: ({ explanation }) => botsOf(explanation), align: 'right' },
  { name: 'children', heading: 'names below', value: (row) => row.explanation?.children ?? null, align: 'right' },
];

function linkOf(explanation: SurgeExplanation | null): string | null {
  const link = explanation?.links[0];
  return link === undefined ? null : `${link.domain}/${link.shortCode}`;
}

function botsOf(explanation: SurgeExplanation | null): number | null {
  return explanation === null ? null : Math.round((100 * explanation.bots) / Math.max(1, explanation.visits));
}
