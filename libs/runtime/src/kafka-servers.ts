import { z } from 'zod';

import { AppError } from './app-error.js';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Of every process that has to do with Kafka, beside KAFKA_BROKERS and KAFKA_TLS. */
export const kafkaClientSettings = () => ({
  /** Of this process, as brokers have it in `broker.rack`: consumers then read from a copy there, where the brokers allow it. */
  KAFKA_RACK: z.string().optional(),
  /** How clients log in at the brokers; unset: they do not. */
  KAFKA_SASL: z.enum(MECHANISMS, 'plain, scram-sha-256 or scram-sha-512, as the brokers have it').optional(),
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: z.string().optional(),
});

/** Where the brokers are, and how a client proves who it is. */
export interface KafkaServers {
  brokers: string[];
  /** Rack or zone of the client. */
  rack?: string;
  tls?: boolean;
  login?: { mechanism: (typeof MECHANISMS)[number]; username: string; password: string };
}

/** What every client of Kafka is given. @throws AppError `invalid-config`: half of a login */
export function kafkaServers(settings: {
  kafkaBrokers: string[];
  kafkaTls: boolean;
  kafkaRack?: string | undefined;
  kafkaSasl?: (typeof MECHANISMS)[number] | undefined;
  kafkaUsername?: string | undefined;
  kafkaPassword?: string | undefined;
}): KafkaServers {
  const { kafkaBrokers: brokers, kafkaTls: tls, kafkaRack: rack, kafkaSasl: mechanism } = settings;
  const servers = { brokers, tls, ...(rack !== undefined && { rack }) };
  const { kafkaUsername: username, kafkaPassword: password } = settings;
  if (mechanism === undefined && username === undefined && password === undefined) return servers;
  if (mechanism === undefined || username === undefined || password === undefined) {
    throw new AppError(
      'invalid-config',
      `KAFKA_SASL (${MECHANISMS.join(', ')}), KAFKA_USERNAME and KAFKA_PASSWORD go together: set all three or none.`,
    );
  }
  return { ...servers, login: { mechanism, username, password } };
}
