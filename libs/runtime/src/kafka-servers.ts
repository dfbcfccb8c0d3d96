import { z } from 'zod';

import { AppError } from './app-error.js';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Of every process that has to do with Kafka, beside KAFKA_BROKERS and KAFKA_TLS. */
export const kafkaLoginSettings = () => ({
  /** How clients log in at the brokers; unset: they do not. */
  KAFKA_SASL: z.enum(MECHANISMS, 'plain, scram-sha-256 or scram-sha-512, as the brokers have it').optional(),
  KAFKA_USERNAME: z.string().optional(),
  KAFKA_PASSWORD: z.string().optional(),
});

/** Where the brokers are, and how a client proves who it is. */
export interface KafkaServers {
  brokers: string[];
  tls?: boolean;
  login?: { mechanism: (typeof MECHANISMS)[number]; username: string; password: string };
}

/** What every client of Kafka is given. @throws AppError `invalid-config`: half of a login */
export function kafkaServers(settings: {
  kafkaBrokers: string[];
  kafkaTls: boolean;
  kafkaSasl?: (typeof MECHANISMS)[number] | undefined;
  kafkaUsername?: string | undefined;
  kafkaPassword?: string | undefined;
}): KafkaServers {
  const { kafkaBrokers: brokers, kafkaTls: tls, kafkaSasl: mechanism } = settings;
  const { kafkaUsername: username, kafkaPassword: password } = settings;
  if (mechanism === undefined && username === undefined && password === undefined) return { brokers, tls };
  if (mechanism === undefined || username === undefined || password === undefined) {
    throw new AppError(
      'invalid-config',
      `KAFKA_SASL (${MECHANISMS.join(', ')}), KAFKA_USERNAME and KAFKA_PASSWORD go together: set all three or none.`,
    );
  }
  return { brokers, tls, login: { mechanism, username, password } };
}
