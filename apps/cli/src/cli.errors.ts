import { postgresErrorCode } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

/** Codes of the AppErrors the CLI throws itself. */
export const CLI_ERRORS = {
  'service-unreachable': 'PostgreSQL or Kafka does not answer at the address in use, or refuses us.',
  'import-failed': 'The import ended before its end; what it created stays.',
  'no-address': 'No stack runs here, and the environment names no address of the service that is needed.',
  'no-such-link': 'No link has the given code (on the given domain).',
  'ambiguous-code': 'Several domains have the given code.',
  'no-such-dead-letter': 'The dead-letter topic has no record at that partition and offset.',
  'no-such-topic': 'The brokers have no topic of a name in use.',
  'backup-failed': 'pgBackRest is not there, or did not do it; what it said is in the message.',
  'wrong-usage': 'Options that are missing or do not go together; exit code 2.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof CLI_ERRORS, string> {}
}

export function wrongUsage(message: string): AppError {
  return new AppError('wrong-usage', message);
}

export function unreachable(service: string, address: string, cause: unknown): AppError {
  const variable = service === 'Kafka' ? 'KAFKA_BROKERS' : 'DATABASE_URL';
  return new AppError(
    'service-unreachable',
    `${service} does not answer at ${address} (${reasonOf(cause)}): run \`npm start\`, or name another one in ${variable}.`,
    { cause, retryable: true },
  );
}

const AFTER_HANG = {
  Kafka: 'Gateways keep visits on their disks meanwhile, so none is lost.',
  PostgreSQL: 'Visits stay in Kafka meanwhile, so none is lost.',
};

/** It refuses nothing and answers nothing. */
export function hangs(service: keyof typeof AFTER_HANG, addresses: readonly string[], waitedMs: number): AppError {
  const server =
    service === 'Kafka' ? `Kafka's broker at ${addresses.join(', ')}` : `PostgreSQL at ${addresses.join(', ')}`;
  const advice =
    'its process hangs, or its machine cannot be reached. Look at the machine and at the log there, then restart it.';
  return new AppError(
    'service-unreachable',
    `${server} gives no answer (waited ${waitedMs / 1_000} s): ${advice} ${AFTER_HANG[service]}`,
    { retryable: true },
  );
}

export function noSuchTopic(topic: string): AppError {
  return new AppError(
    'no-such-topic',
    `There is no topic ${topic}: run \`npx hopcount topics create\`, or name the one in use (VISITS_TOPIC, DEAD_LETTER_TOPIC).`,
  );
}

export function refused(service: 'Kafka' | 'PostgreSQL', address: string, cause: unknown): AppError {
  const settings = service === 'Kafka' ? 'KAFKA_SASL, KAFKA_USERNAME and KAFKA_PASSWORD' : 'DATABASE_URL';
  return new AppError(
    'service-unreachable',
    `${service} at ${address} refuses the connection (${reasonOf(cause)}): look at ${settings}.`,
    { cause },
  );
}

export function untrusted(service: string, address: string, cause: unknown): AppError {
  return new AppError(
    'service-unreachable',
    `${service} at ${address} cannot be trusted (${reasonOf(cause)}): ${TRUST}`,
    { cause },
  );
}

/** Its code where the message is empty, as Node leaves it when every address of a name refused the connection. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: unknown; code?: unknown };
  return String(message === '' ? code : message);
}

export const TRUST =
  'name it as its certificate does, and if a private authority signed that, give its file in NODE_EXTRA_CA_CERTS.';

/** SQLSTATEs of a schema that lacks migrations: every command's statements need the newest. */
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const UNDEFINED_FUNCTION = '42883';

/** One sentence for the terminal, whatever was thrown. */
export function describeError(error: unknown): string {
  if (isAppError(error)) return error.message;
  const { message } = (error ?? {}) as { message?: unknown };
  const sqlState = postgresErrorCode(error);
  if (sqlState === UNDEFINED_TABLE) return 'The database has no Hopcount schema yet: run `npx hopcount migrate`.';
  if (sqlState === UNDEFINED_COLUMN || sqlState === UNDEFINED_FUNCTION) {
    return `The database's schema is older than this program (${String(message)}): run \`npx hopcount migrate\`.`;
  }
  return typeof message === 'string' && message !== '' ? message : String(error);
}
