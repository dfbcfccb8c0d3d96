import { createLogger, Registry } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { createKafkaMetrics } from '../kafka.metrics.js';
import type { OutgoingRecord } from '../records.js';
import { type DeadLetter, DeadLetterWriter } from './dead-letter-writer.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const letter: DeadLetter = {
  topic: 'visits',
  partition: 3,
  record: {
    offset: 42n,
    key: Buffer.from('k'),
    value: Buffer.from([0xff, 0]),
    headers: { ce_id: 'x' },
    timestampMs: 1,
  },
  reason: 'not-json',
  step: 'decodeVisit',
  detail: 'why',
  attempts: 1,
};

function writerOver(answers: ('ok' | 'fail')[]) {
  const sent: { topic: string; records: OutgoingRecord[] }[] = [];
  const publisher = {
    publish: (topic: string, records: OutgoingRecord[]) => {
      sent.push({ topic, records });
      return answers.shift() === 'fail' ? Promise.reject(new Error('no broker')) : Promise.resolve();
    },
  };
  const metrics = createKafkaMetrics(new Registry());
  return { sent, writer: new DeadLetterWriter(publisher, { logger, metrics, nowMs: () => 0 }) };
}

describe('DeadLetterWriter', () => {
  it('leaves key, value and headers as they came and says why beside them', async () => {
    const { writer, sent } = writerOver(['ok']);
    await writer.write([letter]);
    expect(sent).toEqual([
      {
        topic: 'visits.dead-letter',
        records: [
          {
            key: Buffer.from('k'),
            value: Buffer.from([0xff, 0]),
            headers: {
              ce_id: 'x',
              'dlq-reason': 'not-json',
              'dlq-step': 'decodeVisit',
              'dlq-detail': 'why',
              'dlq-timestamp': '1970-01-01T00:00:00.000Z',
              'dlq-attempts': '1',
              'dlq-original-topic': 'visits',
              'dlq-original-partition': '3',
              'dlq-original-offset': '42',
            },
          },
        ],
      },
    ]);
  });

  it('says in the log of which visit the letter is, when its key names one', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'test', level: 'warn' }, () => ({ write: (line) => void lines.push(line) }));
    const publisher = { publish: () => Promise.resolve() };
    const writer = new DeadLetterWriter(publisher, { logger: log, metrics: createKafkaMetrics(new Registry()) });
    const eventId = '0199c2a0-0000-7000-8000-0000000000ff';
    await writer.write([letter, { ...letter, record: { ...letter.record, key: Buffer.from(eventId) } }]);
    const said = lines.map((line) => (JSON.parse(line) as { eventId?: string }).eventId);
    expect(said).toEqual([undefined, eventId]);
  });

  it('tries until the broker acknowledges', async () => {
    const { writer, sent } = writerOver(['fail', 'fail', 'ok']);
    await writer.write([letter]);
    expect(sent).toHaveLength(3);
  });

  it('gives up only when nobody waits any more, and says so', async () => {
    const { writer } = writerOver(['fail', 'fail', 'ok']);
    await expect(writer.write([letter], () => false)).rejects.toMatchObject({ code: 'batch-abandoned' });
  });

  it('says why it waits while it waits', async () => {
    const { writer } = writerOver(['fail', 'ok']);
    const written = writer.write([letter]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(writer.stuckBecause()).toBe('no broker');
    await written;
    expect(writer.stuckBecause()).toBeUndefined();
  });

  it('asks for no more at once than a broker takes, in order', async () => {
    const { writer, sent } = writerOver([]);
    const large = (bytes: number) => ({ ...letter, record: { ...letter.record, value: Buffer.alloc(bytes) } });
    await writer.write([...Array.from({ length: 2_000 }, () => letter), large(900_000), letter]);
    const counts = sent.map(({ records }) => records.length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(2_002);
    expect(counts.slice(-2)).toEqual([1, 1]);
    expect(Math.max(...counts)).toBeLessThan(750);
  });

  it('asks for nothing when there is nothing', async () => {
    const { writer, sent } = writerOver([]);
    await writer.write([]);
    expect(sent).toEqual([]);
  });
});
