import { withKafkaAdmin } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';

const HELP = `
Acts at once. Names are those in use: VISITS_TOPIC, DEAD_LETTER_TOPIC, AUDIT_TOPIC, ORPHAN_TOPIC, HOST_COUNTS_TOPIC. Settings of topics that
exist are not touched; \`hopcount topics\` names those that could cost a count.

Example:
  $ hopcount topics create`;

export const registerTopicsCreate: RegisterCommand = (parent, context) => {
  parent
    .command('create')
    .description('create the topics that are missing; existing ones keep their data')
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const { wantedTopics } = await import('@hopcount/ledger');
      const wanted = wantedTopics(context.config());
      const created = new Set(await withKafkaAdmin(context.config(), (admin) => admin.ensureTopics(wanted)));
      context.terminal.rows(
        output,
        [
          { name: 'topic', heading: 'topic', value: ([topic]) => topic },
          { name: 'partitions', heading: 'partitions', value: ([, settings]) => settings.partitions, align: 'right' },
          {
            name: 'retentionMs',
            heading: 'retention ms',
            value: ([, settings]) => settings.retentionMs,
            align: 'right',
          },
          { name: 'created', heading: 'created', value: ([topic]) => (created.has(topic) ? 'now' : 'before') },
        ],
        Object.entries(wanted),
      );
    });
};
