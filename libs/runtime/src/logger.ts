import { pino } from 'pino';

import { stdoutLog } from './log-output.js';
import { serializeError } from './serialize-error.js';

export type Logger = pino.Logger;

/** JSON lines on stdout; secrets, visitors' addresses and values of statements never reach a log. */
export function createLogger(options: { name: string; level: string }): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    serializers: { err: serializeError },
    redact: {
      paths: [
        'req.headers.cookie',
        'req.headers["x-api-key"]',
        'req.headers.authorization',
        'apiKey',
        'clientIp',
        'visitorId',
        '*.apiKey',
        '*.clientIp',
        '*.visitorId',
        // ioredis tells with an error which command was refused: AUTH and its password among others.
        'err.command.args',
      ],
      censor: '[redacted]',
    },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return pino(settings, { write: (line) => stdoutLog().write(line) });
}
