import { AppError, isAppError } from '@hopcount/runtime';

/**
 * - `service-unreachable`: PostgreSQL or Kafka does not answer at the address in use.
 * - `no-such-link`: no link has the given code (on the given domain).
 * - `ambiguous-code`: several domains have the given code.
 * - `wait-timeout`: `--wait` ended before everything published was counted.
 * - `other-cluster`: the brokers belong to another Kafka cluster than `--expect-cluster` names.
 * - `no-such-dead-letter`: the dead-letter topic has no record at that partition and offset.
 * - `bad-range`: the options name no range, or one that cannot be.
 */
export type CliErrorCode =
  | 'service-unreachable'
  | 'no-such-link'
  | 'ambiguous-code'
  | 'wait-timeout'
  | 'other-cluster'
  | 'no-such-dead-letter'
  | 'bad-range';

export function unreachable(service: string, address: string, cause: unknown): AppError {
  const variable = service === 'Kafka' ? 'KAFKA_BROKERS' : 'DATABASE_URL';
  return new AppError(
    'service-unreachable' satisfies CliErrorCode,
    `${service} does not answer at ${address}: run \`npm start\`, or name another one in ${variable}.`,
    { cause, retryable: true },
  );
}

/** One sentence for the terminal, whatever was thrown. */
export function describeError(error: unknown): string {
  if (isAppError(error)) return error.message;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  // Undefined table: the statements of every command need the schema.
  if (code === '42P01' || driverCode(error) === '42P01') {
    return 'The database has no Hopcount schema yet: run `npx hopcount migrate`.';
  }
  return typeof message === 'string' && message !== '' ? message : String(error);
}

function driverCode(error: unknown): unknown {
  return (error as { driverError?: { code?: unknown } } | null)?.driverError?.code;
}
