import { describe, expect, it } from '@jest/globals';

import { topicProblems, wantedTopics } from './check-topic.js';

const WANTED = { partitions: 12, retentionMs: 1_000, maxMessageBytes: 4_000_000 };

describe('topicProblems', () => {
  const problems = (settings: Record<string, string>, partitions = 12, inSyncReplicas = 1) =>
    topicProblems(
      { topic: 't', partitions, replicas: 1, inSyncReplicas, settings: new Map(Object.entries(settings)) },
      WANTED,
    ).map(({ text, difference }) => `${difference}: ${text}`);

  it('finds nothing wrong with what topics create makes, nor with more', () => {
    expect(
      problems({ 'retention.ms': '1000', 'message.timestamp.type': 'LogAppendTime', 'cleanup.policy': 'delete' }),
    ).toEqual([]);
    expect(problems({ 'retention.ms': '-1' }, 24)).toEqual([]);
  });

  it.each([
    [{ 'retention.ms': '999' }, 12, 1, /^retention.ms 999 < 1000: retention/],
    [{ 'message.timestamp.type': 'CreateTime' }, 12, 1, /^message.timestamp.type ≠ LogAppendTime: /],
    [{ 'max.message.bytes': '1048588' }, 12, 1, /^max.message.bytes 1048588 < 4000000: .*may be refused/],
    [{ 'cleanup.policy': 'compact' }, 12, 1, /^cleanup.policy ≠ delete: .*compaction/],
    [{}, 3, 1, /^partitions 3 < 12: 3 partitions instead of 12/],
    [{ 'min.insync.replicas': '2' }, 12, 1, /^in-sync replicas 1 < 2: .*nothing can be published/],
  ])('names a wrong setting: %j', (settings, partitions, inSync, text) => {
    expect(problems(settings as unknown as Record<string, string>, partitions, inSync)).toEqual([
      expect.stringMatching(text),
    ]);
  });

  it('knows the topics by the names in use', () => {
    const inUse = {
      ...{ visitsTopic: 'v2', deadLetterTopic: 'd2', auditTopic: 'a2', orphanTopic: 'o2', hostCountsTopic: 'h2' },
    };
    expect(Object.keys(wantedTopics(inUse))).toEqual(['v2', 'd2', 'a2', 'o2', 'h2']);
  });
});
