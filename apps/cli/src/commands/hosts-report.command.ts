import { Readable } from 'node:stream';

import { withDatabase } from '../connections.js';
import type { RegisterCommand } from '../context.js';
import { NO_BOM } from '../output/output.js';
import { parseZone } from '../replay/time-range.js';

const HELP = `
CSV of hosts that had visits for the first time in a month (new), that had some in the month before and none in it (gone), and that
surged. visits: in the month; of one that is gone, in the month before; of one that surged, in five minutes at its highest. The
10,000 with the most visits of each kind and change.

Examples:
  $ hopcount hosts report --month 2026-11 > hosts.csv
  $ hopcount hosts report --month 2026-11 --time-zone Europe/Berlin`;

export const registerHostsReport: RegisterCommand = (parent, context) => {
  parent
    .command('report')
    .description('hosts that are new, gone or surged in a month, as CSV')
    .requiredOption('--month <month>', '2026-11')
    .option('--time-zone <zone>', 'of the month', parseZone, 'UTC')
    .option(...NO_BOM)
    .addHelpText('after', HELP)
    .action(async (options: { month: string; timeZone: string; bom: boolean }) => {
      const { asciiOf } = await import('@hopcount/hosts');
      const { formatHostReport, HostReport, parseTimeZone } = await import('@hopcount/statistics');
      const timeZone = parseTimeZone(options.timeZone);
      await withDatabase(context.config(), async (database) => {
        const hosts = await new HostReport(database).read({ month: options.month, timeZone });
        await context.terminal.pour(Readable.from([formatHostReport(hosts, asciiOf, options)]));
      });
    });
};
