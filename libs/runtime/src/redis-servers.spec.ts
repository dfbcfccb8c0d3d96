import { describe, expect, it } from '@jest/globals';

import { parseRedisUrl } from './redis-servers.js';

describe('parseRedisUrl', () => {
  it('leaves one server to the client', () => {
    expect(parseRedisUrl('rediss://user:pw@host:6380/2')).toEqual({
      kind: 'single',
      url: 'rediss://user:pw@host:6380/2',
    });
  });

  it('reads the nodes of a cluster', () => {
    expect(parseRedisUrl('redis+cluster://a:7000,b,[::1]:7002')).toEqual({
      ...{ kind: 'cluster', tls: false, login: {} },
      nodes: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 6379 },
        { host: '::1', port: 7002 },
      ],
    });
    const secured = parseRedisUrl('rediss+cluster://me:p%40ss%3A@a:7000/0');
    expect(secured).toMatchObject({ tls: true, login: { username: 'me', password: 'p@ss:' } });
    expect(parseRedisUrl('redis+cluster://:secret@a')).toMatchObject({ login: { password: 'secret' } });
  });

  it('reads sentinels and the master they know', () => {
    expect(parseRedisUrl('redis+sentinel://:pw@a,b:26380/main/3?sentinelPassword=other')).toEqual({
      ...{ kind: 'sentinel', tls: false, login: { password: 'pw' }, sentinelLogin: { password: 'other' } },
      ...{ masterName: 'main', database: 3 },
      nodes: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 26380 },
      ],
    });
  });

  it.each([
    ['http://host', /redis\+cluster/],
    ['host:6379', /redis\+cluster/],
    ['redis://a:1,b:2', /several nodes/],
    ['redis+cluster://', /redis\+cluster/],
    ['redis+cluster://a:7000/5', /database 0 alone/],
    ['redis+cluster://a:99999', /no host:port/],
    ['redis+cluster://a,,b', /no host:port/],
    ['redis+sentinel://a', /name of the master/],
    ['redis+sentinel://a/main/x', /no number/],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseRedisUrl(text)).toThrow(message);
  });
});
