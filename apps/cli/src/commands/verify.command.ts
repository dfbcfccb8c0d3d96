import type { Database } from '@hopcount/postgres';
import type { VerificationReport } from '@hopcount/ledger';

import { withDatabase, withKafka } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { parseSeconds } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { DIFFERENCE_COLUMNS } from '../output/print-differences.js';
import type { Terminal } from '../output/terminal.js';
import { waitUntilCounted } from '../lag/wait-until-counted.js';

const HELP = `
The ledger (table visits) is the truth: every bucket, fold, dimension, unique and slot is computed
from it again and held against what is stored, in one snapshot, so visits may go on arriving.
Gateways' own reports (check: audits) are held against what was counted or refused.
Nothing is changed. Exit code 3 when a number differs (to correct it: hopcount rebuild).

Examples:
  $ hopcount verify --wait
  $ hopcount verify --link aBcDeF1 -o json`;

interface VerifyOptions extends OutputOptions {
  link?: string;
  domain?: string;
  wait: boolean;
  waitSeconds: number;
}

export const registerVerify: RegisterCommand = (parent, context) => {
  parent
    .command('verify')
    .description('recompute every number from the ledger and print what differs')
    .option('--link <code>', 'only this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--wait', 'first wait until everything published is counted', false)
    .option('--wait-seconds <n>', 'longest wait of --wait', parseSeconds, 120)
    .addHelpText('after', HELP)
    .action((options: VerifyOptions) =>
      withDatabase(context.config(), (database) => verify(database, context, options)),
    );
};

async function verify(database: Database, context: CliContext, options: VerifyOptions): Promise<void> {
  const { terminal } = context;
  const linkId = options.link === undefined ? undefined : await findLinkId(database, options.link, options.domain);
  if (options.wait) {
    await withKafka(context, database, (services) => waitUntilCounted(services, options.waitSeconds * 1_000));
  }
  const { StatisticsVerifier } = await import('@hopcount/ledger');
  const report = await new StatisticsVerifier(database).verify({
    linkId,
    slots: context.config().slots,
    onProgress: (step) => terminal.progress(`verifying ${step}`),
  });
  const { differences } = report;
  if (differences.length > 0 || options.output === 'json') {
    terminal.rows(options.output, DIFFERENCE_COLUMNS, differences, () => report);
  }
  reportChecked(terminal, report);
  if (differences.length > 0) context.exitWith(VERIFICATION_FAILED);
}

function reportChecked(terminal: Terminal, { checked, skipped, lost, differences }: VerificationReport): void {
  const counts = [
    plural(checked.visits, 'visit'),
    plural(checked.buckets, 'bucket'),
    plural(checked.sourceMinutes, 'minute of sources', 'minutes of sources'),
    plural(checked.audits.settled, 'report of a gateway', 'reports of gateways'),
    plural(checked.slots, 'slot'),
    plural(checked.totals, 'total'),
    plural(checked.folds, 'fold'),
  ].join(', ');
  const stale = checked.staleFolds > 0 ? ` (and ${plural(checked.staleFolds, 'stale one')}, which nobody reads)` : '';
  terminal.message(`Checked ${counts}${stale}.`);
  const { open, unauditedMinutes, unauditedVisits } = checked.audits;
  if (open > 0) terminal.message(`Not settled yet: ${plural(open, 'report of a gateway', 'reports of gateways')}.`);
  if (unauditedMinutes > 0) {
    const minutes = plural(unauditedMinutes, 'minute of gateways', 'minutes of gateways');
    terminal.message(
      `Unaudited: ${plural(unauditedVisits, 'visit')} in ${minutes} that were killed or have not reported yet.`,
    );
  }
  if (lost.foundAt !== null) {
    const records = plural(lost.records, 'record');
    terminal.message(`LOST: ${records} removed by retention before they were counted; in no number, see lost_offsets.`);
  }
  for (const what of skipped) terminal.message(`Not checked: ${what}.`);
  if (differences.length === 0) terminal.message('Every number equals the ledger.');
  else terminal.message(`${plural(differences.length, 'difference')}.`);
}
