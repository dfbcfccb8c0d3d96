import { withKafkaAdmin } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
"records" is what the log still holds; settings that could cost a count are named under "problems".

Examples:
  $ hopcount topics list
  $ hopcount topics list -o json | jq '.[] | select(.problems != null)'`;

interface TopicRow {
  topic: string;
  partitions: number;
  records: number;
  /** Records ever published: the sum of the log ends. */
  published: number;
  retentionMs: string | null;
  problems: string | null;
}

export const registerTopicsList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description("Hopcount's topics: size, settings and what is wrong with them")
    .addHelpText('after', HELP)
    .action(async ({ output }: OutputOptions) => {
      const config = context.config();
      const { copyProblems, topicProblems, wantedTopics } = await import('@hopcount/ledger');
      const rows = await withKafkaAdmin(config, async (admin) => {
        const [names, { length: brokers }] = await Promise.all([admin.topicNames(), admin.brokers()]);
        return Promise.all(
          Object.entries(wantedTopics(config)).map(async ([topic, wanted]): Promise<TopicRow> => {
            if (!names.includes(topic)) {
              const problems = 'missing: run hopcount topics create';
              return { topic, partitions: 0, records: 0, published: 0, retentionMs: null, problems };
            }
            const [found, offsets] = await Promise.all([admin.describeTopic(topic), admin.topicOffsets(topic)]);
            return {
              topic,
              partitions: found.partitions,
              records: offsets.reduce((sum, { low, high }) => sum + Number(high - low), 0),
              published: offsets.reduce((sum, { high }) => sum + Number(high), 0),
              retentionMs: found.settings.get('retention.ms') ?? null,
              problems:
                [...topicProblems(found, wanted).map(({ text }) => text), ...copyProblems(found, brokers)].join('; ') ||
                null,
            };
          }),
        );
      });
      context.terminal.rows(output, COLUMNS, rows);
      const wrong = rows.filter((row) => row.problems !== null).length;
      context.terminal.message(wrong === 0 ? 'No topic has a problem.' : `${plural(wrong, 'topic')} with problems.`);
    });
};

const COLUMNS: Column<TopicRow>[] = [
  { name: 'topic', heading: 'topic', value: (row) => row.topic },
  { name: 'partitions', heading: 'partitions', value: (row) => row.partitions, align: 'right' },
  { name: 'records', heading: 'records', value: (row) => row.records, align: 'right' },
  { name: 'published', heading: 'ever published', value: (row) => row.published, align: 'right' },
  { name: 'retentionMs', heading: 'retention ms', value: (row) => row.retentionMs, align: 'right' },
  { name: 'problems', heading: 'problems', value: (row) => row.problems },
];
