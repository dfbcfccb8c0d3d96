import { AppError, isAppError } from '@hopcount/runtime';

/** Whether Kafka, or kafkajs, is why something failed. */
export function isKafkaFailure(error: unknown): boolean {
  return isAppError(error, 'kafka-unavailable') || isOfKafkajs(error);
}

/**
 * What a question to Kafka failed with. kafkajs hands on what its own code stumbles over (`bail` in fetchTopicOffsets): a bare
 * TypeError where metadata name no leader yet, or `Error: Aborted`. To its caller that is an outage like any other.
 */
export function kafkaFailure(error: unknown): Error {
  if (isAppError(error) || isOfKafkajs(error)) return error as Error;
  return new AppError('kafka-unavailable', 'Kafka did not answer as it should.', { cause: error, retryable: true });
}

function isOfKafkajs(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('KafkaJS');
}
