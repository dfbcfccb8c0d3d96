import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { leadersIn } from './leaders.js';
import { int16, int32, string16 } from './wire-fields.js';

const NO_LEADER = 5;
const UNKNOWN_TOPIC = 3;

const list = (items: readonly Buffer[]) => [int32(items.length), ...items];
const broker = (id: number, host: string, port: number) =>
  Buffer.concat([int32(id), string16(host), int32(port), int16(-1)]);
const partition = (number: number, leader: number, errorCode = 0) => {
  const replicas = list([int32(1), int32(2)]);
  const fields = [int16(errorCode), int32(number), int32(leader), int32(0), ...replicas, ...replicas, ...list([])];
  return Buffer.concat(fields);
};
const topic = (name: string, partitions: readonly Buffer[], errorCode = 0) =>
  Buffer.concat([int16(errorCode), string16(name), Buffer.from([0]), ...list(partitions)]);
const answer = (topics: readonly Buffer[]) => {
  const brokers = list([broker(1, 'one.test', 9_092), broker(2, '::1', 9_093)]);
  return Buffer.concat([int32(0), int32(0), int32(0), ...brokers, string16('cluster'), int32(1), ...list(topics)]);
};

describe('the answer that says who leads the partitions of a topic', () => {
  it('names the brokers of those that have a leader', () => {
    const partitions = [partition(0, 1), partition(1, -1, NO_LEADER), partition(2, 2), partition(3, 9)];
    expect(leadersIn(answer([topic('visits', partitions)]), 'visits')).toEqual([
      { partition: 0, broker: { host: 'one.test', port: 9_092 } },
      { partition: 2, broker: { host: '::1', port: 9_093 } },
    ]);
  });

  it('is an error when it says nothing of the topic', () => {
    expect(() => leadersIn(answer([topic('visits', [], UNKNOWN_TOPIC)]), 'visits')).toThrow('error code 3');
    expect(() => leadersIn(answer([topic('other', [])]), 'visits')).toThrow('error code undefined');
  });

  it('is an error when it ends too early, wherever that is', () => {
    const whole = answer([topic('visits', [partition(0, 1), partition(1, 2)])]);
    for (let bytes = 0; bytes < whole.length; bytes += 1)
      expect(() => leadersIn(whole.subarray(0, bytes), 'visits')).toThrow();
  });

  it('is an error or leaders, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(leadersIn(Buffer.from(bytes), '')).toBeInstanceOf(Array);
        } catch (error) {
          expect((error as Error).message).toMatch(/too early|error code/);
        }
      }),
    );
  });
});
