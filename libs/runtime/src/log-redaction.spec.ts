import { describe, expect, it } from '@jest/globals';

import { createLogger } from './logger.js';

function logged() {
  let log = '';
  const logger = createLogger({ name: 'spec', level: 'trace' }, () => ({ write: (line) => void (log += line) }));
  return { logger, log: () => log };
}

describe('a log line', () => {
  it.each(['apiKey', 'password', 'secret', 'token', 'cookie', 'authorization', 'clientIp', 'visitorId', 'userAgent'])(
    'never says a field %s, nor one of a thing it tells of',
    (field) => {
      const { logger, log } = logged();
      logger.info({ [field]: 'hunter2', eventId: 'shown' }, 'at the top');
      logger.warn({ visit: { [field]: 'hunter2' } }, 'below');
      expect(log()).not.toContain('hunter2');
      expect(log()).toContain('shown');
    },
  );

  it.each(['headers', 'req.headers', 'request.headers'])(
    'says no header of %s that opens or tells who it is',
    (path) => {
      const { logger, log } = logged();
      const secrets = ['cookie', 'set-cookie', 'x-api-key', 'authorization', 'x-forwarded-for', 'forwarded'];
      const headers = { ...Object.fromEntries(secrets.map((name) => [name, 'hunter2'])), accept: 'text/html' };
      const [outer = '', inner] = path.split('.');
      logger.info({ [outer]: inner === undefined ? headers : { [inner]: headers } }, 'request');
      expect(log()).not.toContain('hunter2');
      expect(log()).toContain('text/html');
    },
  );

  it('never says the password of an address, wherever an error has it', () => {
    const { logger, log } = logged();
    const cause = new Error('connect to redis://:hunter2@10.0.0.1:6379 refused');
    logger.error({ err: new Error('postgres://hopcount:hunter2@db/hopcount does not answer', { cause }) }, 'away');
    expect(log()).not.toContain('hunter2');
    expect(log()).toContain('postgres://hopcount:[redacted]@db/hopcount');
    expect(log()).toContain('redis://:[redacted]@10.0.0.1:6379');
  });
});
