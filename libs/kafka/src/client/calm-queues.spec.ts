import { createRequire } from 'node:module';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { calmQueues } from './calm-queues.js';

interface Queue {
  push: (request: object) => void;
  fulfillRequest: (response: object) => void;
  maybeThrottle: (ms: number) => void;
  scheduleRequestTimeoutCheck: () => void;
  destroy: () => void;
}
const RequestQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
  options: object,
) => Queue;

const quiet = { debug: () => undefined, warn: () => undefined };

describe('a queue of requests to a broker', () => {
  const sent: number[] = [];
  const answered: number[] = [];
  const failed: string[] = [];
  let queue: Queue;

  beforeEach(() => {
    jest.useFakeTimers();
    expect(calmQueues()).toBe(true);
    for (const list of [sent, answered, failed]) list.length = 0;
    queue = new RequestQueue({
      ...{ maxInFlightRequests: 1, requestTimeout: 3_000, enforceRequestTimeout: true },
      ...{ clientId: 'spec', broker: 'spec', logger: { namespace: () => quiet, ...quiet } },
    });
  });
  afterEach(() => {
    queue.destroy();
    jest.useRealTimers();
  });

  const ask = (correlationId: number) =>
    queue.push({
      entry: {
        correlationId,
        resolve: () => answered.push(correlationId),
        reject: (error: Error) => failed.push(error.name),
      },
      expectResponse: true,
      sendRequest: () => sent.push(correlationId),
    });
  const answer = (correlationId: number) => queue.fulfillRequest({ correlationId, payload: {}, size: 1 });

  it('has nothing to wake up for while no request waits', () => {
    ask(1);
    answer(1);
    expect([answered, jest.getTimerCount()]).toEqual([[1], 0]);
  });

  it('sends what waited for a place, and what the broker had put off', () => {
    ask(1);
    ask(2);
    expect(sent).toEqual([1]);
    answer(1);
    expect(sent).toEqual([1, 2]);
    queue.maybeThrottle(500);
    answer(2);
    ask(3);
    expect(sent).toEqual([1, 2]);
    jest.advanceTimersByTime(1_000);
    expect(sent).toEqual([1, 2, 3]);
    answer(3);
    jest.advanceTimersByTime(1_000);
    expect([answered, jest.getTimerCount()]).toEqual([[1, 2, 3], 0]);
  });

  it('gives up a request that is not answered, and sends the next', () => {
    queue.scheduleRequestTimeoutCheck();
    ask(1);
    ask(2);
    jest.advanceTimersByTime(4_000);
    expect([sent, failed]).toEqual([[1, 2], ['KafkaJSRequestTimeoutError']]);
  });
});
