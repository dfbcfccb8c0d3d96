import type { KafkaConnection } from '@hopcount/kafka';
import { createRateLimit } from '@hopcount/runtime';

import { RecordSender } from './record-sender.js';

export interface SenderOptions {
  connection: KafkaConnection;
  config: { visitsTopic: string; hostCountsTopic: string };
  actionId: string;
  ratePerSecond?: number | undefined;
  /** Aborted, nothing more is sent. */
  signal?: AbortSignal | undefined;
}

/** With a producer of its own for as long as the work takes. */
export async function withSender<T>(
  { connection, config, actionId, ratePerSecond, signal }: SenderOptions,
  work: (sender: RecordSender) => Promise<T>,
): Promise<T> {
  const { KafkaPublisher } = await import('@hopcount/kafka');
  const publisher = new KafkaPublisher(connection);
  const turn = createRateLimit(ratePerSecond);
  const rateLimit = async (records: number) => {
    await turn(records);
    signal?.throwIfAborted();
  };
  try {
    await publisher.connect();
    return await work(
      new RecordSender(publisher, {
        ...{ topic: config.visitsTopic, countsTopic: config.hostCountsTopic },
        ...{ actionId, rateLimit },
      }),
    );
  } finally {
    await publisher.close();
  }
}
