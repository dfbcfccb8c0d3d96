import type { Socket } from 'node:net';

import { wrapRequests } from '../client/kafkajs-internals.js';

interface FetchArguments {
  maxWaitTime: number;
  minBytes: number;
  topics: { topic: string }[];
}

interface FetchLoad {
  /** No partition waits for the end of a request, to be asked for in the next one. */
  areAllAsked: () => boolean;
  /** Batches are in hand. */
  isHandling: () => boolean;
}

const FETCH_API_KEY = 1;
const QUIET_AFTER_MS = 2_000;
/** As long as between two heartbeats, which kafkajs sends between two fetches. */
export const QUIET_WAIT_MS = 1_000;
/** A partition whose batch was in hand is not asked for until the request under way ends. */
const HANDLING_WAIT_MS = 50;

const paces = new Set<FetchPace>();
let isInstalled = false;

/**
 * How long one consumer lets the broker wait for records. While they come a request gathers some, or, while batches are in hand,
 * asks shortly for those of other partitions; once none came for two seconds the
 * broker is asked once a second, and answers with the first one at once.
 */
export class FetchPace {
  readonly #sockets = new Set<Socket>();
  #busyAtMs = performance.now();

  constructor(
    readonly topic: string,
    private readonly load: FetchLoad,
    readonly quietWaitMs = QUIET_WAIT_MS,
  ) {
    if (installPaces()) paces.add(this);
  }

  /** Records came, or partitions. */
  busy(): void {
    this.#busyAtMs = performance.now();
  }

  isQuiet(): boolean {
    return !this.#wasBusy() && this.load.areAllAsked();
  }

  isHandling(): boolean {
    return this.#wasBusy() && this.load.isHandling();
  }

  readonly noteRequest = (socket: Socket, apiKey: number): void => {
    if (apiKey !== FETCH_API_KEY || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  };

  /** Once kafkajs has been told to stop: it waits for requests under way. Heartbeats have another connection. */
  end(): void {
    paces.delete(this);
    // One that kafkajs has ended is not listened to any more.
    for (const socket of this.#sockets) if (!socket.writableEnded) socket.destroy(new Error('the consumer stops'));
  }

  #wasBusy(): boolean {
    return performance.now() - this.#busyAtMs <= QUIET_AFTER_MS;
  }
}

/**
 * kafkajs takes one wait for the whole life of a consumer. Where requests cannot be wrapped, it is always asked at the pace of records
 * that come.
 */
function installPaces(): boolean {
  isInstalled ||= wrapRequests('fetch', (args: FetchArguments, build) => build(paced(args)));
  return isInstalled;
}

/** Two consumers of a topic in one process: the pace of the busier one. */
function paced(args: FetchArguments): FetchArguments {
  const topic = args.topics[0]?.topic;
  const ofTopic = [...paces].filter((pace) => pace.topic === topic);
  if (ofTopic.some((pace) => pace.isHandling())) return { ...args, maxWaitTime: HANDLING_WAIT_MS, minBytes: 1 };
  if (ofTopic.length === 0 || !ofTopic.every((pace) => pace.isQuiet())) return args;
  return { ...args, maxWaitTime: Math.min(...ofTopic.map((pace) => pace.quietWaitMs)), minBytes: 1 };
}
