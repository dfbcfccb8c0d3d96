import type { KafkaConnection } from '../client/create-kafka.js';
import { KafkaAdmin } from './kafka-admin.js';

/** Over a connection of its own: what reads or writes records cannot ask. @throws what `expectCluster` throws, kafkajs' errors */
export async function expectCluster(connection: KafkaConnection): Promise<void> {
  if (connection.expectCluster === undefined) return;
  const admin = new KafkaAdmin(connection);
  try {
    await admin.clusterId();
  } finally {
    await admin.close();
  }
}
