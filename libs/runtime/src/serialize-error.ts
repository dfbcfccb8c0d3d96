import { pino } from 'pino';

/** Of a statement that failed: what it was given, and what PostgreSQL shows of rows. Hashes of passwords are among it. */
const VALUES = new Set(['parameters', 'detail', 'where', 'internalQuery']);
/** Its messages about values (class 22) quote them, with the quotation marks of the server's language. */
const SQLSTATE_OF_VALUES = /^22[0-9A-Z]{3}$/;
const QUOTED = /["'“”„‘’‚«»].*["'“”„‘’‚«»]/su;

/** As addresses of services have them. */
const PASSWORD_OF_URL = /(:\/\/[^\s:@/]*):[^\s@/]+@/g;

type ErrorLike = Record<string, unknown> & { message: string };

/** An error as it is logged: its causes included, and no value of a statement. The SQL text stays: our values are parameters. */
export function serializeError(error: unknown): unknown {
  return withoutValues(error, messagesOfValues(error), new Set());
}

function withoutValues(value: unknown, messages: ReadonlyMap<string, string>, seen: Set<unknown>): unknown {
  const inner = (part: unknown) => withoutValues(part, messages, seen);
  if (typeof value === 'string') {
    const shown = [...messages].reduce((text, [message, instead]) => text.replaceAll(message, () => instead), value);
    return shown.replace(PASSWORD_OF_URL, '$1:[redacted]@');
  }
  if (Array.isArray(value)) return value.map(inner);
  if (!isErrorLike(value)) return value;
  if (seen.has(value)) return '[circular]';
  seen.add(value);
  const fields = Object.entries(value instanceof Error ? pino.stdSerializers.err(value) : value);
  return Object.fromEntries(fields.filter(([name]) => !VALUES.has(name)).map(([name, field]) => [name, inner(field)]));
}

/** Of the error and all it was made of: each message that quotes a value, and what is logged instead. */
function messagesOfValues(
  error: unknown,
  found: Map<string, string> = new Map(),
  seen: Set<unknown> = new Set(),
): Map<string, string> {
  if (!isErrorLike(error) || seen.has(error)) return found;
  seen.add(error);
  const { code, message, cause, driverError, errors } = error;
  if (typeof code === 'string' && SQLSTATE_OF_VALUES.test(code)) {
    found.set(message, message.replace(QUOTED, '"[redacted]"'));
  }
  const parts: unknown[] = [cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  for (const part of parts) messagesOfValues(part, found, seen);
  return found;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}
