import type { KafkaAdmin } from '@hopcount/kafka';
import type { LogStart } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

import { withAnyCluster, withDatabase } from '../connections.js';
import type { CliContext, OutputOptions, RegisterCommand } from '../context.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { plural } from '../output/output.js';

const READ_TOPICS = 'SELECT DISTINCT topic FROM consumer_checkpoints ORDER BY topic';

const HELP = `
A database belongs to the Kafka cluster its first consumer read from. Its offsets mean nothing in another cluster, so
consumers, workers and commands refuse any other. After a restore into another cluster, a switch to a mirror, or the loss
of Kafka's data: stop consumers and workers, set KAFKA_BROKERS to the new cluster and run this once.
Every partition is then read from the start of its log. Visits that are already counted are skipped, so none counts twice.
Visits that exist only in the old cluster and are not counted yet stay uncounted: run \`hopcount lag\` there first.

Examples:
  $ hopcount cluster bind
  $ hopcount cluster bind --execute
  $ hopcount topics create`;

interface BindOptions extends OutputOptions {
  execute: boolean;
}

export const registerClusterBind: RegisterCommand = (parent, context) => {
  parent
    .command('bind')
    .description('let this database count from the Kafka cluster in KAFKA_BROKERS from now on')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((options: BindOptions) =>
      withDatabase(context.config(), (database) =>
        withAnyCluster(context.config(), (admin) => bind({ context, database, admin }, options)),
      ),
    );
};

interface BindParts {
  context: CliContext;
  database: Database;
  admin: KafkaAdmin;
}

async function bind({ context, database, admin }: BindParts, { execute, output }: BindOptions): Promise<void> {
  const { bindAnew, LedgerCluster } = await import('@hopcount/ledger');
  const cluster = new LedgerCluster(database);
  const [from = null, to] = await Promise.all([cluster.bound(), admin.clusterId()]);
  const { terminal } = context;
  if (from === to)
    return terminal.message(`This database belongs to the Kafka cluster ${to} already: no change needed.`);
  const { starts, records } = await readStarts(database, admin);
  if (!execute) {
    const now =
      from === null ? 'This database is bound to no Kafka cluster' : `This database belongs to cluster ${from}`;
    const reading = ` and read ${plural(records, 'record')} there from the start of each log`;
    return terminal.message(`${now}. Would bind it to ${to}${reading}. Nothing was changed (no --execute).`);
  }
  const description = { command: 'cluster bind', arguments: { from, to }, output };
  await asAction({ context, database, admin }, description, async () => {
    await bindAnew(database, { from, to, starts });
    return { outcome: 'done', counts: { cluster: to, recordsToRead: records } };
  });
}

/** Of the topics that the ledger has read from, where this cluster has them. */
async function readStarts(database: Database, admin: KafkaAdmin): Promise<{ starts: LogStart[]; records: number }> {
  const [topics, names] = await Promise.all([database.query<{ topic: string }>(READ_TOPICS), admin.topicNames()]);
  const known = topics.filter(({ topic }) => names.includes(topic));
  const logs = await Promise.all(
    known.map(async ({ topic }) => (await admin.topicOffsets(topic)).map((log) => ({ topic, ...log }))),
  );
  const starts = logs.flat();
  return { starts, records: starts.reduce((sum, { low, high }) => sum + Number(high - low), 0) };
}
