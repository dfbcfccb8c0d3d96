import { describe, expect, it } from '@jest/globals';

import { env, parseConfig } from './config.js';
import { kafkaServers } from './kafka-servers.js';
import { z } from 'zod';

const serversOf = (environment: Record<string, string>) =>
  kafkaServers(parseConfig(z.object(env.services()), { KAFKA_BROKERS: 'a:1', ...environment }));

describe('the way to Kafka', () => {
  it('is plain unless told, and has a login of three settings', () => {
    expect(serversOf({})).toEqual({ brokers: ['a:1'], tls: false });
    expect(serversOf({ KAFKA_RACK: 'zone-a' })).toEqual({ brokers: ['a:1'], tls: false, rack: 'zone-a' });
    const login = { KAFKA_SASL: 'scram-sha-512', KAFKA_USERNAME: 'u', KAFKA_PASSWORD: 'p' };
    expect(serversOf({ KAFKA_TLS: 'true', ...login })).toEqual({
      ...{ brokers: ['a:1'], tls: true },
      login: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
    });
  });

  it('is refused with half a login or an unknown one, without the password', () => {
    const wrong = (environment: Record<string, string>) => {
      try {
        return serversOf({ KAFKA_PASSWORD: 'secret', ...environment });
      } catch (error) {
        return (error as Error).message;
      }
    };
    const together = expect.stringMatching(/KAFKA_SASL.*KAFKA_USERNAME and KAFKA_PASSWORD go together/);
    expect(wrong({})).toEqual(together);
    expect(wrong({ KAFKA_SASL: 'plain' })).toEqual(together);
    expect(wrong({ KAFKA_USERNAME: 'u' })).toEqual(together);
    expect(wrong({ KAFKA_SASL: 'gssapi', KAFKA_USERNAME: 'u' })).toMatch(/KAFKA_SASL: plain, scram-sha-256 or/);
    expect(wrong({})).not.toContain('secret');
  });
});
