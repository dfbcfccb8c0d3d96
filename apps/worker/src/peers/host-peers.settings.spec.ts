import { parseConfig } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { hostPeersSettings, peerServers } from './host-peers.settings.js';

const parse = (environment: Record<string, string>) => parseConfig(z.object(hostPeersSettings), environment);

describe('settings of data centres', () => {
  it('are of one alone unless peers are given', () => {
    expect(parse({})).toEqual({
      ...{ datacenter: 'main', hostPeers: [], hostStateTopic: 'hosts.state' },
      hostPeersLogin: new Map(),
    });
    expect(parse({ HOST_PEERS: 'paris=k1:9092,k2.paris.example:9092; oslo=k3:9093/hosts.of-oslo;' }).hostPeers).toEqual(
      [
        { dc: 'paris', brokers: ['k1:9092', 'k2.paris.example:9092'], topic: 'hosts.state' },
        { dc: 'oslo', brokers: ['k3:9093'], topic: 'hosts.of-oslo' },
      ],
    );
  });

  it('reach each peer with a login of its own or with none, never with that of the own brokers', () => {
    const config = parse({
      HOST_PEERS: 'paris=k1:9092;oslo=k3:9093',
      HOST_PEERS_LOGIN: 'paris=scram-sha-256:reader:a:b=c',
    });
    const own = { kafkaTls: true, kafkaSasl: 'plain', kafkaUsername: 'own', kafkaPassword: 'own' };
    const login = { mechanism: 'scram-sha-256', username: 'reader', password: 'a:b=c' };
    expect([...peerServers(config.hostPeers, { ...own, ...config })]).toEqual([
      ['paris', { brokers: ['k1:9092'], tls: true, login }],
      ['oslo', { brokers: ['k3:9093'], tls: true }],
    ]);
    const plain = parse({ HOST_PEERS: 'oslo=k3:9093', HOST_PEERS_TLS: 'false' });
    expect(peerServers(plain.hostPeers, { ...own, ...plain }).get('oslo')).toMatchObject({ tls: false });
    expect(() => peerServers(plain.hostPeers, { ...own, ...config })).toThrow('paris');
    const secret = () => parse({ HOST_PEERS_LOGIN: 'paris=secret:user' });
    expect(secret).toThrow('login 1');
    expect(secret).not.toThrow('secret:');
  });

  it.each([
    [{ DATACENTER: 'Main' }, 'DATACENTER'],
    [{ DATACENTER: 'a'.repeat(33) }, 'DATACENTER'],
    [{ HOST_PEERS: 'paris' }, 'paris'],
    [{ HOST_PEERS: 'paris=k1' }, 'k1'],
    [{ HOST_PEERS: 'Paris=k1:9092' }, 'Paris'],
    [{ HOST_PEERS: 'paris=k1:9092;paris=k2:9092' }, 'each peer once'],
    [{ HOST_PEERS: Array.from({ length: 9 }, (_, nth) => `p${nth}=k:1`).join(';') }, 'at most 8'],
    [{ HOST_STATE_TOPIC: 'a b' }, 'HOST_STATE_TOPIC'],
  ])('are refused: %j', (environment, says) => {
    expect(() => parse(environment as Record<string, string>)).toThrow(says);
  });
});
