import { kafkajsInternal } from './kafkajs-internals.js';

interface RequestQueue {
  pending: unknown[];
  inflight: Map<number, { sentAt: number; requestTimeout: number; timeoutRequest: () => void }>;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | undefined;
  isConnected: () => boolean;
  destroy: () => void;
  scheduleCheckPendingRequests: () => void;
  scheduleRequestTimeoutCheck: () => void;
}

/** How late a request without an answer may be given up: a sixth of its time, within these. */
const SHORTEST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1_000;

let isCalm = false;

/**
 * Keeps this process's kafkajs from waking up a thousand times a second for each connection that ever had an answer. It
 * looks again and again for requests that wait, also when none does: at a time that is past, which a timer takes for 1 ms. None can
 * wait unseen: whoever queues one has it looked for. Answers that are late are looked for each second instead of each 100 ms.
 * @returns whether it is so from now on
 */
export function calmQueues(): boolean {
  if (isCalm) return true;
  const queue = kafkajsInternal<{ prototype: RequestQueue }>('network/requestQueue/index.js')?.prototype;
  if (queue === undefined) return false;
  const look = queue.scheduleCheckPendingRequests as unknown;
  if (typeof look !== 'function' || typeof queue.scheduleRequestTimeoutCheck !== 'function') return false;
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) look.call(this);
  };
  queue.scheduleRequestTimeoutCheck = lookForLateAnswers;
  isCalm = true;
  return true;
}

/** kafkajs's own, at longer intervals. */
function lookForLateAnswers(this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  const everyMs = Math.min(Math.max(this.requestTimeout / 6, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
  this.requestTimeoutIntervalId = setInterval(() => {
    for (const request of this.inflight.values()) {
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    }
    if (!this.isConnected()) this.destroy();
  }, everyMs);
}
