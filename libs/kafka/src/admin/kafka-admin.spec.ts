import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import type { Admin } from 'kafkajs';

import { KafkaAdmin } from './kafka-admin.js';

const connection = { clientId: 'spec', brokers: [], logger: createLogger({ name: 'spec', level: 'silent' }) };

/** A client whose questions about offsets fail in turn; the last answer stays. */
function adminOver(answers: (Error | object[])[], settleMs?: number) {
  let asked = 0;
  const fetchTopicOffsets = () => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const open = () => ({ connect: () => Promise.resolve(), fetchTopicOffsets }) as unknown as Admin;
  return new KafkaAdmin(connection, { open, ...(settleMs !== undefined && { settleMs }) });
}

const offsets = [{ partition: 0, offset: '7', high: '7', low: '2' }];
const stumble = () => new TypeError("Cannot destructure property 'partitions' of 'high.pop(...)' as it is undefined.");

describe('a question about offsets', () => {
  it.each([
    ['stumbles over metadata that name no leader yet', stumble()],
    ['is aborted without a reason', new Error('Aborted')],
    [
      'gives up while a partition has no leader',
      Object.assign(new Error('no leader'), {
        name: 'KafkaJSNumberOfRetriesExceeded',
        cause: Object.assign(new Error('no leader'), { name: 'KafkaJSProtocolError', type: 'LEADER_NOT_AVAILABLE' }),
      }),
    ],
  ])('that kafkajs %s is asked again', async (_what, error) => {
    const admin = adminOver([error, error, offsets]);
    expect(await admin.topicOffsets('t')).toEqual([{ partition: 0, low: 2n, high: 7n }]);
  });

  it('whose answer lacks an offset is asked again', async () => {
    const admin = adminOver([[{ partition: 0, high: '7' }], offsets]);
    expect(await admin.topicOffsets('t')).toEqual([{ partition: 0, low: 2n, high: 7n }]);
  });

  it('that kafkajs keeps stumbling over is an outage of Kafka, with its cause', async () => {
    const error = stumble();
    await expect(adminOver([error], 0).topicOffsets('t')).rejects.toMatchObject({
      code: 'kafka-unavailable',
      retryable: true,
      cause: error,
    });
  });

  it('that kafkajs refuses by a name of its own is thrown as it is', async () => {
    const error = Object.assign(new Error('no such topic'), { name: 'KafkaJSProtocolError' });
    await expect(adminOver([error], 0).topicOffsets('t')).rejects.toBe(error);
  });
});
