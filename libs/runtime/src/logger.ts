import { pino } from 'pino';

import { stdoutLog } from './log-output.js';
import { RepeatedLines } from './repeated-lines.js';
import { serializeError } from './serialize-error.js';

export type Logger = pino.Logger;

/** Never in a log, at the top of a line's fields or one below: what opens something, and who a visitor is. */
const SECRET_FIELDS = [
  ...['apiKey', 'password', 'secret', 'token', 'cookie', 'authorization'],
  ...['clientIp', 'visitorId', 'userAgent'],
];
const SECRET_HEADERS = ['cookie', 'set-cookie', 'x-api-key', 'authorization', 'x-forwarded-for', 'forwarded'];

const headersOf = (name: string) => SECRET_HEADERS.map((header) => `${name}["${header}"]`);

/**
 * JSON lines on stdout; secrets, visitors' addresses and values of statements never reach a log. Warnings and errors
 * of one cause are limited (RepeatedLines), also those of child loggers.
 */
export function createLogger(
  options: { name: string; level: string },
  output: () => { write(line: string): void } = stdoutLog,
): Logger {
  const repeated = new RepeatedLines();
  const settings: pino.LoggerOptions = {
    name: options.name,
    level: options.level,
    serializers: { err: serializeError },
    redact: {
      paths: [
        ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
        ...['headers', 'req.headers', 'request.headers'].flatMap(headersOf),
        // ioredis tells with an error which command was refused: AUTH and its password among others.
        'err.command.args',
      ],
      censor: '[redacted]',
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      logMethod(line, method, level) {
        if (level < pino.levels.values['warn']! || repeated.admits(this, line, method, level)) method.apply(this, line);
      },
    },
  };
  return pino(settings, { write: (line) => output().write(line) });
}
