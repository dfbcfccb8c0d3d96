import type { Database } from '@hopcount/postgres';
import type { ArchiveDifference } from '@hopcount/archive';
import type { VerificationReport } from '@hopcount/ledger';

import { verifyArchive } from '../archive/verify-archive.js';
import { withDatabase, withKafka } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { parseSeconds } from '../operator-actions/options.js';
import { plural } from '../output/output.js';
import { DIFFERENCE_COLUMNS, type ShownDifference } from '../output/print-differences.js';
import type { Terminal } from '../output/terminal.js';

const HELP = `
The ledger (table visits) is the truth: every bucket, scope, fold, dimension, unique and slot is computed
from it again and held against what is stored, in snapshots (buckets a month at a time), so visits may go on arriving.
Gateways' own reports (check: audits) are held against what was counted or refused.
With ARCHIVE_URL the files are read, too (check: archive), and held against the buckets: where the ledger's months
were dropped they stand in its place, also for sums by group and host. --resume begins with the month of files where the last one was killed.
No number is changed. Exit code 3 when a number differs (to correct it: hopcount rebuild): answers made of wrong sums say exact: false from then
on, until rebuild --all --execute or a verify that finds none.

Examples:
  $ hopcount verify --wait
  $ hopcount verify --link aBcDeF1 -o json`;

interface VerifyOptions extends OutputOptions {
  link?: string;
  domain?: string;
  wait: boolean;
  waitSeconds: number;
  resume: boolean;
}

export const registerVerify: RegisterCommand = (parent, context) => {
  parent
    .command('verify')
    .description('recompute every number from the ledger and print what differs')
    .option('--link <code>', 'only this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .option('--wait', 'first wait until everything published is counted', false)
    .option('--wait-seconds <n>', 'longest wait of --wait', parseSeconds, 120)
    .option('--resume', 'of the archive only the months the last one did not come to', false)
    .addHelpText('after', HELP)
    .action((options: VerifyOptions) =>
      withDatabase(context.config(), (database) => verify(database, context, options)),
    );
};

async function verify(database: Database, context: CliContext, options: VerifyOptions): Promise<void> {
  const { terminal } = context;
  const linkId = options.link === undefined ? undefined : await findLinkId(database, options.link, options.domain);
  if (options.wait) {
    const { waitUntilCounted } = await import('@hopcount/ledger');
    await withKafka(context, database, (services) =>
      waitUntilCounted({ ...services, shown: terminal }, options.waitSeconds * 1_000),
    );
  }
  const { ledger, archive } = await (linkId === undefined
    ? verifyEverything(database, context, options)
    : verifyLink(database, context, linkId));
  const differences: ShownDifference[] = [...ledger.differences, ...(archive?.differences ?? []).map(asDifference)];
  const report = { ...ledger, differences, ...(archive !== undefined && { archive }) };
  if (differences.length > 0 || options.output === 'json') {
    terminal.rows(options.output, DIFFERENCE_COLUMNS, differences, () => report);
  }
  reportChecked(terminal, ledger, differences.length);
  if (differences.length > 0) context.exitWith(VERIFICATION_FAILED);
}

async function verifyEverything(database: Database, context: CliContext, options: VerifyOptions) {
  const { verifyAll } = await import('@hopcount/ledger');
  const { slots, archiveUrl } = context.config();
  const { ledger, files: archive } = await verifyAll({
    ...{ database, slots, shown: context.terminal, isWhole: !options.resume },
    verifyFiles: archiveUrl === undefined ? undefined : () => verifyFiles(context, database, options),
  });
  return { ledger, archive };
}

async function verifyLink(database: Database, context: CliContext, linkId: string) {
  const { StatisticsVerifier } = await import('@hopcount/ledger');
  const { slots } = context.config();
  const verifier = new StatisticsVerifier(database);
  const ledger = await context.terminal.inSteps('checks', (onStep) => verifier.verify({ linkId, slots, onStep }));
  return { ledger, archive: undefined };
}

/** Hours are closed by their age alone here: without Kafka nobody can tell more, and younger ones are in the ledger. */
async function verifyFiles(context: CliContext, database: Database, { resume }: VerifyOptions) {
  const { sealAfter } = context.config();
  const { closedBefore } = await import('@hopcount/archive');
  return verifyArchive(context, database, { closedBefore: closedBefore(Date.now(), sealAfter), resume });
}

function asDifference({ check, where, expected, actual }: ArchiveDifference): ShownDifference {
  return { check: 'archive', linkId: null, unit: `${where} ${check}`, expected, actual };
}

function reportChecked(terminal: Terminal, { checked, skipped, lost }: VerificationReport, differences: number): void {
  const counts = [
    plural(checked.visits, 'visit'),
    plural(checked.buckets, 'bucket'),
    plural(checked.scopeBuckets, 'bucket of scopes', 'buckets of scopes'),
    plural(checked.hostBuckets, 'bucket of hosts', 'buckets of hosts'),
    plural(checked.sourceMinutes, 'minute of sources', 'minutes of sources'),
    plural(checked.audits.settled, 'report of a gateway', 'reports of gateways'),
    plural(checked.slots, 'slot'),
    plural(checked.totals, 'total'),
    plural(checked.folds, 'fold'),
    plural(checked.days, 'aggregated day'),
    plural(checked.limits.links, 'limit'),
  ].join(', ');
  const stale = checked.staleFolds > 0 ? ` (and ${plural(checked.staleFolds, 'stale one')}, which nobody reads)` : '';
  terminal.message(`Checked ${counts}${stale}.`);
  if (checked.staleDays > 0)
    terminal.message(`Not up to date: ${plural(checked.staleDays, 'aggregated day')}; made again by the worker.`);
  const { open, unauditedMinutes, unauditedVisits } = checked.audits;
  if (open > 0) terminal.message(`Not settled yet: ${plural(open, 'report of a gateway', 'reports of gateways')}.`);
  if (unauditedMinutes > 0) {
    const minutes = plural(unauditedMinutes, 'minute of gateways', 'minutes of gateways');
    terminal.message(
      `Unaudited: ${plural(unauditedVisits, 'visit')} in ${minutes} that were killed or have not reported yet.`,
    );
  }
  reportLimits(terminal, checked.limits);
  if (lost.foundAt !== null) {
    const records = plural(lost.records, 'record');
    terminal.message(`LOST: ${records} removed by retention before they were counted; in no number, see lost_offsets.`);
  }
  if (checked.unattributedBuckets > 0) {
    const quarterHours = plural(checked.unattributedBuckets, 'quarter hour');
    terminal.message(
      `Not exact: sums by group and host of ${quarterHours}, of which visits were purged after the month was dropped; the next sealing takes them out, unless ARCHIVE_DAYS removed their files.`,
    );
  }
  for (const what of skipped) terminal.message(`Not checked: ${what}.`);
  const which = checked.unattributedBuckets > 0 ? 'Every other number' : 'Every number';
  if (differences === 0) terminal.message(`${which} equals the ledger.`);
  else terminal.message(`${plural(differences, 'difference')}.`);
}

function reportLimits(terminal: Terminal, { lateVisits, oldUses }: VerificationReport['checked']['limits']): void {
  if (lateVisits > 0) {
    const visits = plural(lateVisits, 'visit');
    terminal.message(`Beside the limits: ${visits} by gateways that did not know yet of a limit just set.`);
  }
  if (oldUses > 0) {
    const uses = plural(oldUses, 'use');
    terminal.message(
      `Held back: ${uses} of limits taken more than a day ago by gateways that ended; see the gateway's README.`,
    );
  }
}
