import { DEAD_LETTER_HEADERS } from '@hopcount/contracts';
import { KafkaAdmin, type TopicOffset } from '@hopcount/kafka';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testTopic, type TestTopic } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { ApiConfig } from '../api.config.js';
import { DeadLetters } from './dead-letters.js';

/** Something happens between the question for a log's ends and its reading. */
class SlowAdmin extends KafkaAdmin {
  between: () => Promise<void> = () => Promise.resolve();

  override async topicOffsets(topic: string): Promise<TopicOffset[]> {
    const offsets = await super.topicOffsets(topic);
    await this.between();
    return offsets;
  }
}

describe('the list of dead letters', () => {
  let given: TestDatabase;
  let database: Database;
  let topic: TestTopic;
  let admin: SlowAdmin;
  let letters: DeadLetters;

  beforeAll(async () => {
    [given, topic] = await Promise.all([testDatabase(), testTopic({ partitions: 2, label: 'letters' })]);
    database = await Database.connect({ url: given.url, applicationName: 'dead-letters-spec' });
    const connection = {
      ...{ clientId: 'dead-letters-spec', brokers: topic.brokers },
      logger: createLogger({ name: 'spec', level: 'silent' }),
    };
    admin = new SlowAdmin(connection);
    const config = { deadLetterTopic: topic.name } as ApiConfig;
    letters = new DeadLetters(database, admin, connection, config);
  });
  afterAll(async () => {
    await admin.close();
    await database.close();
    await topic.delete();
    await given.drop();
  });

  const put = (count: number) =>
    topic.produce(
      Array.from({ length: count }, (_, nth) => ({
        ...{ value: 'x', partition: nth % 2, headers: { [DEAD_LETTER_HEADERS.reason]: 'unstorable' } },
      })),
    );
  const drop = async () =>
    topic.dropBefore((await topic.offsets()).map(({ partition, high }) => ({ partition, offset: high })));

  it('is answered when retention removes all of them after their offsets were asked for', async () => {
    await put(10);
    expect((await letters.list(null, 50)).data).toHaveLength(10);
    admin.between = async () => {
      admin.between = () => Promise.resolve();
      await drop();
    };
    expect((await letters.list(null, 50)).data).toEqual([]);
  });

  it('is answered to several at once while letters come and go', async () => {
    let isOver = false;
    const churn = async () => {
      while (!isOver) {
        await put(4);
        await drop();
      }
    };
    const churning = churn();
    const lists = await Promise.allSettled(
      Array.from({ length: 3 }, async () => {
        for (let nth = 0; nth < 8; nth += 1) await letters.list(null, 50);
      }),
    );
    isOver = true;
    await churning;
    expect(lists.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });
});
