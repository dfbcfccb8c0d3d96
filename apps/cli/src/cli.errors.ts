import { AppError, isAppError } from '@hopcount/runtime';

/**
 * - `service-unreachable`: PostgreSQL or Kafka does not answer at the address in use, or refuses us.
 * - `no-such-link`: no link has the given code (on the given domain).
 * - `ambiguous-code`: several domains have the given code.
 * - `wait-timeout`: `--wait` ended before everything published was counted.
 * - `other-cluster`: the brokers belong to another Kafka cluster than `--expect-cluster` names.
 * - `no-such-dead-letter`: the dead-letter topic has no record at that partition and offset.
 * - `no-such-topic`: the brokers have no topic of a name in use.
 * - `bad-range`: the topic does not have the named range, or it is longer than allowed.
 * - `wrong-usage`: options that are missing or do not go together; exit code 2.
 */
export type CliErrorCode =
  | 'service-unreachable'
  | 'no-such-link'
  | 'ambiguous-code'
  | 'wait-timeout'
  | 'other-cluster'
  | 'no-such-dead-letter'
  | 'no-such-topic'
  | 'bad-range'
  | 'wrong-usage';

export function wrongUsage(message: string): AppError {
  return new AppError('wrong-usage' satisfies CliErrorCode, message);
}

export function unreachable(service: string, address: string, cause: unknown): AppError {
  const variable = service === 'Kafka' ? 'KAFKA_BROKERS' : 'DATABASE_URL';
  return new AppError(
    'service-unreachable' satisfies CliErrorCode,
    `${service} does not answer at ${address}: run \`npm start\`, or name another one in ${variable}.`,
    { cause, retryable: true },
  );
}

export function noSuchTopic(topic: string): AppError {
  return new AppError(
    'no-such-topic' satisfies CliErrorCode,
    `There is no topic ${topic}: run \`npx hopcount topics create\`, or name the one in use (VISITS_TOPIC, DEAD_LETTER_TOPIC).`,
  );
}

export function refused(service: string, address: string, cause: unknown): AppError {
  const { message } = cause as { message?: unknown };
  return new AppError(
    'service-unreachable' satisfies CliErrorCode,
    `${service} at ${address} refuses the connection (${String(message)}): look at DATABASE_URL.`,
    { cause },
  );
}

/** SQLSTATEs of a schema that lacks migrations: every command's statements need the newest. */
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const UNDEFINED_FUNCTION = '42883';

/** One sentence for the terminal, whatever was thrown. */
export function describeError(error: unknown): string {
  if (isAppError(error)) return error.message;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const sqlState = driverCode(error) ?? code;
  if (sqlState === UNDEFINED_TABLE) return 'The database has no Hopcount schema yet: run `npx hopcount migrate`.';
  if (sqlState === UNDEFINED_COLUMN || sqlState === UNDEFINED_FUNCTION) {
    return `The database's schema is older than this program (${String(message)}): run \`npx hopcount migrate\`.`;
  }
  return typeof message === 'string' && message !== '' ? message : String(error);
}

function driverCode(error: unknown): unknown {
  return (error as { driverError?: { code?: unknown } } | null)?.driverError?.code;
}
