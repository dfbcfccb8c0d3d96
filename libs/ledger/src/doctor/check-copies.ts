import type { KafkaAdmin, TopicDescription } from '@hopcount/kafka';
import { plural } from '@hopcount/runtime';

import { type TopicNames, wantedTopics } from './check-topic.js';
import { type Check, fail, ok } from './check.js';

/** From so many brokers on, a topic survives the loss of any one of them, and of a second one without losing what was acknowledged. */
const COPIES = 3;
const IN_SYNC = 2;

/**
 * What of a topic's copies could cost visits that were acknowledged, each a sentence that says what to do; nothing: empty.
 * Fewer than three brokers cannot keep three copies: nothing is asked of them but that no copy that lacks records leads.
 */
export function copyProblems(found: TopicDescription, brokers: number): string[] {
  const problems: string[] = [];
  if (brokers >= COPIES && found.replicas < COPIES) {
    problems.push(
      `copies on ${found.replicas} of ${brokers} brokers: one that dies takes visits along; kafka-reassign-partitions adds some`,
    );
  }
  const inSync = Number(found.settings.get('min.insync.replicas') ?? 1);
  if (brokers >= COPIES && inSync < IN_SYNC) {
    problems.push(`min.insync.replicas ${inSync} lets one copy acknowledge alone; set it to ${IN_SYNC}`);
  }
  if (found.settings.get('unclean.leader.election.enable') === 'true') {
    problems.push('unclean.leader.election.enable lets a copy lead that lacks acknowledged visits; set it to false');
  }
  return problems;
}

/** Of all of Hopcount's topics that are there, in one line. */
export async function checkCopies(admin: KafkaAdmin, config: TopicNames): Promise<Check> {
  const [names, { length: brokers }] = await Promise.all([admin.topicNames(), admin.brokers()]);
  const topics = Object.keys(wantedTopics(config)).filter((topic) => names.includes(topic));
  const found = await Promise.all(topics.map((topic) => admin.describeTopic(topic)));
  const wrong = found.flatMap((topic) => copyProblems(topic, brokers).map((problem) => `${topic.topic}: ${problem}`));
  const values = { count: brokers, topics: new Set(wrong.map((problem) => problem.split(':')[0])).size };
  return wrong.length === 0
    ? ok('copies of topics', plural(brokers, 'broker'), { found: 'copies-kept', values })
    : fail('copies of topics', wrong.join('; '), "Change them with Kafka's own commands, one topic after the other.", {
        ...{ found: 'copies-missing', advice: 'keep-copies', values },
      });
}
