import type { KafkaServers, Logger } from '@hopcount/runtime';
import { Kafka, type KafkaConfig, type logCreator, logLevel, type SASLOptions } from 'kafkajs';

import { boundDecompression } from './bound-decompression.js';
import { calmQueues } from './calm-queues.js';
import { type WatchedSocketOptions, watchedSocketFactory } from './watched-socket.js';

export interface KafkaConnection extends KafkaServers {
  clientId: string;
  logger: Logger;
  /** How long a broker that owes an answer may stay silent before its connection is given up; default: longer than kafkajs waits for the answer. */
  silenceMs?: number;
  /**
   * Throws where the cluster is another one than these brokers are used for. Questions (KafkaAdmin), consumers and the first
   * connection of a publisher are refused then; given none, every cluster is right.
   */
  expectCluster?: (clusterId: string) => Promise<void>;
}

type OnRequest = WatchedSocketOptions['onRequest'];

const REQUEST_TIMEOUT_MS = 15_000;
/** So much longer than a request may take, so that kafkajs speaks first. */
const GRACE_MS = 5_000;

/**
 * One kafkajs client. Its connection attempts are bounded (about 3 s): whoever uses it tries again in
 * its own loop, where it can see that the process is stopping.
 */
export function createKafka(connection: KafkaConnection, onRequest?: OnRequest): Kafka {
  return new Kafka({
    ...connectionOf(connection, REQUEST_TIMEOUT_MS, onRequest),
    connectionTimeout: 2_000,
    retry: { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.INFO,
    logCreator: bridgeTo(connection.logger),
  });
}

/** The part that every client of this library has: name, brokers, TLS, login and the watch on each socket. */
export function connectionOf(
  { clientId, brokers, tls = false, login, silenceMs }: KafkaConnection,
  requestTimeoutMs: number,
  onRequest?: OnRequest,
): KafkaConfig {
  boundDecompression();
  calmQueues();
  return {
    clientId,
    brokers,
    ssl: tls,
    // A copy: kafkajs writes its authenticator into it.
    ...(login === undefined ? {} : { sasl: { ...login } as SASLOptions }),
    requestTimeout: requestTimeoutMs,
    socketFactory: watchedSocketFactory({ silenceMs: silenceMs ?? requestTimeoutMs + GRACE_MS, onRequest }),
  };
}

/**
 * kafkajs reports every lost connection and every rebalance as an error, several times each; what
 * matters is said by our own code, so its lines keep their text and lose one level.
 */
function bridgeTo(logger: Logger): logCreator {
  const child = logger.child({ component: 'kafkajs' });
  return () =>
    ({ namespace, level, log }) => {
      const { message, error, groupId, broker } = log as unknown as {
        message: string;
        error?: unknown;
        groupId?: unknown;
        broker?: unknown;
      };
      const fields = { namespace, error: describe(error), groupId, broker };
      if (level === logLevel.ERROR) child.info(fields, message);
      else child.debug(fields, message);
    };
}

function describe(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}
