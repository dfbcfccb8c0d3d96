import type { Logger } from '@hopcount/runtime';
import { Kafka, type logCreator, logLevel } from 'kafkajs';

import { watchedSocketFactory } from './watched-socket.js';

export interface KafkaConnection {
  brokers: string[];
  clientId: string;
  logger: Logger;
}

const REQUEST_TIMEOUT_MS = 15_000;

/**
 * One kafkajs client. Its connection attempts are bounded (about 3 s): whoever uses it tries again in
 * its own loop, where it can see that the process is stopping.
 */
export function createKafka(connection: KafkaConnection): Kafka {
  return new Kafka({
    clientId: connection.clientId,
    brokers: connection.brokers,
    connectionTimeout: 2_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    socketFactory: watchedSocketFactory({ requestTimeoutMs: REQUEST_TIMEOUT_MS }),
    retry: { retries: 4, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.INFO,
    logCreator: bridgeTo(connection.logger),
  });
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
