import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError, createLogger, Histogram } from '@hopcount/runtime';
import { newEventId } from '@hopcount/testing';

import { KafkaState } from './kafka-state.js';
import { type Durability, type RecordPublisher, VisitPublisher } from './visit-publisher.js';
import type { VisitRecord } from './visit-record.js';
import type { VisitSpool } from './visit-spool.js';

/** A broker that answers when told to. */
class FakeKafka implements RecordPublisher {
  readonly requests: { keys: string[]; ack: () => void; fail: (error: Error) => void }[] = [];
  connect = () => Promise.resolve();
  publish = (_topic: string, records: VisitRecord[]) =>
    new Promise<void>((ack, fail) => {
      this.requests.push({ keys: records.map(({ key }) => key), ack, fail });
    });
}

class FakeSpool {
  readonly keys: string[] = [];
  error: Error | undefined;
  append = (records: readonly VisitRecord[]) => {
    if (this.error !== undefined) return Promise.reject(this.error);
    this.keys.push(...records.map(({ key }) => key));
    return Promise.resolve();
  };
}

const record = (key: string): VisitRecord => ({ key, value: 'v', headers: {} });
const ACK_TIMEOUT_MS = 50;
/** Late: and then one more turn of the event loop. Beside another batch up to a look later. */
const LATE_MS = ACK_TIMEOUT_MS + 1;
const LOOK_MS = ACK_TIMEOUT_MS / 5;
const later = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const histogram = new Histogram({ name: 'produce_seconds_of_the_test', help: 'x', registers: [] });

describe('VisitPublisher', () => {
  let kafka: FakeKafka;
  let spool: FakeSpool;
  let state: KafkaState;
  let publisher: VisitPublisher;
  let failures: number;
  let audited: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    kafka = new FakeKafka();
    spool = new FakeSpool();
    state = new KafkaState(createLogger({ name: 'test', level: 'silent' }));
    failures = 0;
    const metrics = { produceSeconds: histogram, produceFailures: { inc: () => void (failures += 1) } };
    const options = { topic: 't', maxEvents: 3, ackTimeoutMs: ACK_TIMEOUT_MS };
    const told: string[] = [];
    audited = told;
    const audit = {
      durable: (records: readonly VisitRecord[]) => void told.push(...records.map(({ key }) => key)),
      lost: (records: readonly VisitRecord[], { inDoubt }: { inDoubt: boolean }) =>
        void told.push(...records.map(({ key }) => `${key} ${inDoubt ? 'in doubt' : 'lost'}`)),
    };
    publisher = new VisitPublisher(kafka, spool as unknown as VisitSpool, state, { metrics, audit }, options);
    state.recovered();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  function accept(one: VisitRecord): Promise<Durability> {
    const answered = new Promise<Durability>((durable, lost) => publisher.accept(one, { durable, lost }));
    answered.catch(() => undefined);
    return answered;
  }

  /** Where somebody has no answer it fails at once, not after the minutes that a test may take. */
  async function allOf<T>(answers: readonly Promise<T>[]) {
    await later(0);
    const settled = await Promise.all(
      answers.map((answer) => Promise.race([answer, later(0).then(() => 'no answer' as const)])),
    );
    expect(settled).not.toContain('no answer');
    return settled;
  }

  it('answers a batch when, and only when, Kafka has acknowledged it', async () => {
    let answered = 0;
    const both = ['a', 'b'].map((key) => accept(record(key)).then((where) => [(answered += 1), where][1]));
    expect(kafka.requests).toEqual([]);
    await later(0);
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    expect(answered).toBe(0);
    expect(audited).toEqual([]);
    kafka.requests[0]?.ack();
    expect(await allOf(both)).toEqual(['kafka', 'kafka']);
    expect(spool.keys).toEqual([]);
    expect(audited).toEqual(['a', 'b']);
  });

  it('sends a full batch at once', () => {
    for (const key of ['a', 'b', 'c', 'd']) void accept(record(key));
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
  });

  it('says how long visits wait for a request to Kafka, and not how long Kafka takes', async () => {
    const answers = Array.from({ length: 18 }, (_, n) => accept(record(String(n))));
    await later(LOOK_MS);
    expect([kafka.requests.length, publisher.queueDelayMs]).toEqual([5, LOOK_MS]);
    kafka.requests[0]?.ack();
    await later(1);
    expect([kafka.requests.length, publisher.queueDelayMs]).toEqual([6, 0]);
    for (const { ack } of kafka.requests) ack();
    await allOf(answers);
  });

  it('gathers visits while a request is under way, and sends them at its acknowledgement', async () => {
    const first = accept(record('a'));
    await later(0);
    const second = accept(record('b'));
    await later(1);
    const third = accept(record('c'));
    await later(1);
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a']]);
    kafka.requests[0]?.ack();
    expect(await first).toBe('kafka');
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']]);
    kafka.requests[1]?.ack();
    expect(await allOf([second, third])).toEqual(['kafka', 'kafka']);
  });

  it('sends what was gathered also when the request before it is rejected', async () => {
    const first = accept(record('a'));
    await later(0);
    const second = accept(record('b'));
    kafka.requests[0]?.fail(new AppError('broker-rejected', 'too large'));
    expect(await first).toBe('spool');
    kafka.requests[1]?.ack();
    expect(await allOf([second])).toEqual(['kafka']);
  });

  it('sends what was gathered once the request before it is late', async () => {
    const late = accept(record('a'));
    await later(1);
    const gathered = accept(record('b'));
    await later(LATE_MS);
    expect(await late).toBe('spool');
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    // The late one's acknowledgement says nothing about the next.
    kafka.requests[0]?.ack();
    void accept(record('c'));
    await later(1);
    expect(kafka.requests).toHaveLength(2);
    kafka.requests[1]?.ack();
    expect(await allOf([gathered])).toEqual(['kafka']);
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c']]);
    expect([spool.keys, state.isUp]).toEqual([['a'], true]);
  });

  it('spools a late batch, answers it, and stays up', async () => {
    const late = accept(record('a'));
    await later(LATE_MS - 2);
    expect(spool.keys).toEqual([]);
    await later(2);
    expect(await late).toBe('spool');
    expect([spool.keys, state.isUp]).toEqual([['a'], true]);
    kafka.requests[0]?.ack(); // now twice in Kafka: the ledger's business
    await later(0);
    expect(audited).toEqual(['a']);
    const next = accept(record('b'));
    await later(0);
    kafka.requests[1]?.ack();
    expect(await next).toBe('kafka');
  });

  it('goes down when batches were late three times in a row, and then asks the disk first', async () => {
    for (const key of ['a', 'b', 'c']) {
      expect(state.isUp).toBe(true);
      const late = accept(record(key));
      await later(LATE_MS + LOOK_MS);
      expect(await late).toBe('spool');
    }
    expect(state.isUp).toBe(false);
    expect(await accept(record('d'))).toBe('spool');
    expect(kafka.requests).toHaveLength(3);
  });

  it('takes requests that are late together for one sign', async () => {
    const late = Array.from({ length: 9 }, (_, nth) => accept(record(`${nth}`)));
    expect(kafka.requests).toHaveLength(3);
    await later(LATE_MS);
    expect(await allOf(late)).toEqual(late.map(() => 'spool'));
    expect(state.isUp).toBe(true);
  });

  it('does not count time in which this process could not run', async () => {
    const answered = accept(record('a'));
    await later(0);
    // Its timers are a second late, and the answer is not read before the next turn.
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000);
    await later(40);
    kafka.requests[0]?.ack();
    expect(await answered).toBe('kafka');
    clock.mockRestore();
    expect([spool.keys, state.isUp]).toEqual([[], true]);
  });

  it('waits longer for a broker that took longer lately, but not for ever', async () => {
    const answerAfter = async (ms: number) => {
      const answered = accept(record('a'));
      const request = kafka.requests.length;
      await later(ms);
      kafka.requests[request]?.ack();
      return (await allOf([answered]))[0];
    };
    expect(await answerAfter(150)).toBe('spool');
    for (let usual = 0; usual < 32; usual += 1) expect(await answerAfter(40)).toBe('kafka');
    expect(await answerAfter(130)).toBe('kafka');
    expect(await answerAfter(1_100)).toBe('spool');
    expect(state.isUp).toBe(true);
  });

  it('spools and goes down at once when a batch is refused', async () => {
    const refused = accept(record('a'));
    await later(0);
    kafka.requests[0]?.fail(new Error('connection closed'));
    expect(await refused).toBe('spool');
    expect([state.isUp, failures]).toEqual([false, 1]);
  });

  it('spools a batch that Kafka rejects for good, and does not take Kafka for down', async () => {
    const rejected = accept(record('too large'));
    await later(0);
    kafka.requests[0]?.fail(new AppError('broker-rejected', 'too large'));
    expect(await rejected).toBe('spool');
    expect([spool.keys, state.isUp]).toEqual([['too large'], true]);
  });

  it('does not let batches wait for a broker that is down', async () => {
    const all = Array.from({ length: 8 * 3 }, (_, i) => accept(record(`k${i}`)));
    expect(kafka.requests).toHaveLength(5);
    kafka.requests[0]?.fail(new Error('gone'));
    await later(0);
    expect(spool.keys).toHaveLength(4 * 3); // the refused one and the three that waited
    kafka.requests.slice(1).forEach(({ ack }) => ack());
    expect(new Set(await allOf(all))).toEqual(new Set(['kafka', 'spool']));
  });

  it('waits for a late acknowledgement when the disk refuses', async () => {
    spool.error = new AppError('spool-full', 'full');
    const accepted = accept(record('a'));
    await later(LATE_MS);
    kafka.requests[0]?.ack();
    expect(await accepted).toBe('kafka');
  });

  it('rejects when neither takes it', async () => {
    spool.error = new AppError('spool-full', 'full');
    const accepted = accept(record('a'));
    await later(0);
    kafka.requests[0]?.fail(new Error('gone'));
    await expect(accepted).rejects.toMatchObject({ code: 'visit-not-durable' });
    await expect(accept(record('b'))).rejects.toMatchObject({ code: 'visit-not-durable' });
    expect(audited).toEqual(['a in doubt', 'b lost']);
  });

  it('says that a visit is in doubt when the disk failed, and may have kept it', async () => {
    state.failed(new Error('gone'));
    for (const [code, inDoubt] of [
      ['spool-closed', false],
      ['spool-write-failed', true],
    ] as const) {
      spool.error = new AppError(code, 'no');
      const accepted = accept(record(code));
      await expect(accepted).rejects.toMatchObject({ code: 'visit-not-durable', details: { inDoubt } });
    }
    expect(audited).toEqual(['spool-closed lost', 'spool-write-failed in doubt']);
  });

  it('knows the oldest visit that is not settled', async () => {
    expect(publisher.oldestUnsettledMs).toBeUndefined();
    const keys = [1_763_719_800_000, 1_763_719_860_000].map((timeMs) => newEventId(timeMs));
    const accepted = keys.map((key) => accept(record(key)));
    await later(0);
    void accept(record(newEventId(1_763_719_920_000)));
    expect(publisher.oldestUnsettledMs).toBe(1_763_719_800_000);
    kafka.requests[0]?.ack();
    await allOf(accepted);
    expect(publisher.oldestUnsettledMs).toBe(1_763_719_920_000);
  });

  it('flushes what is gathered while a request is under way, and waits for the answers of both', async () => {
    const first = accept(record('a'));
    await later(0);
    const second = accept(record('b'));
    let isFlushed = false;
    const flushed = publisher.flush().then(() => (isFlushed = true));
    await later(1);
    expect(kafka.requests.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    kafka.requests[1]?.ack();
    await later(1);
    expect(isFlushed).toBe(false);
    kafka.requests[0]?.ack();
    await flushed;
    expect(await allOf([first, second])).toEqual(['kafka', 'kafka']);
  });

  it('flushes what is gathered and waits for its answers', async () => {
    const accepted = accept(record('a'));
    const flushed = publisher.flush();
    kafka.requests[0]?.ack();
    await flushed;
    expect(await accepted).toBe('kafka');
  });
});
