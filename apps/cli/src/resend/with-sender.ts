import type { RecordSender } from '@hopcount/ledger';

import type { CliConfig } from '../cli.config.js';
import { asKafkaFailure, kafkaConnection } from '../connections.js';
import { createRateLimit } from '../operator-actions/rate-limit.js';

/** @throws AppError `service-unreachable` */
export async function withSender<T>(
  config: CliConfig,
  options: { actionId: string; ratePerSecond: number | undefined },
  work: (sender: RecordSender) => Promise<T>,
): Promise<T> {
  const { KafkaPublisher } = await import('@hopcount/kafka');
  const { RecordSender: Sender } = await import('@hopcount/ledger');
  const publisher = new KafkaPublisher(kafkaConnection(config));
  const rateLimit = createRateLimit(options.ratePerSecond);
  try {
    await asKafkaFailure(config, () => publisher.connect());
    return await work(
      new Sender(publisher, {
        ...{ topic: config.visitsTopic, countsTopic: config.hostCountsTopic },
        ...{ actionId: options.actionId, rateLimit },
      }),
    );
  } finally {
    await publisher.close();
  }
}
