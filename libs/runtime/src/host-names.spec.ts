import { describe, expect, it } from '@jest/globals';

import { isPrivateHost, isPublicHost } from './host-names.js';

const dressed = (name: string) =>
  [name, `${name}.`, name.toUpperCase(), `a.b-c.${name}`].map((host) => new URL(`http://${host}/`).hostname);

describe('names of hosts', () => {
  it.each([
    ...[
      'svc',
      'api.prod.svc',
      'cluster.local',
      'svc.cluster.local',
      'local',
      'internal',
      'host.docker.internal',
      'consul',
    ],
    ...['localhost', 'localdomain', 'home.arpa', 'lan', 'home', 'corp', 'intranet', 'private', 'nip.io', 'redis'],
  ])('%s are of a private network, however they are written: no target of links, and asked by nobody', (name) => {
    for (const host of dressed(name).slice(0, name === 'redis' ? 3 : 4)) {
      expect([host, isPrivateHost(host), isPublicHost(host)]).toEqual([host, true, false]);
    }
  });

  it.each(['onion', 'test', 'example', 'invalid', 'alt', 'i2p', 'arpa', 'in-addr.arpa', 'mail'])(
    'below %s are asked by nobody; a link may lead a browser there',
    (name) => {
      const host = new URL(`http://a.${name}/`).hostname;
      for (const written of [host, `${host}.`]) {
        expect([written, isPrivateHost(written), isPublicHost(written)]).toEqual([written, false, false]);
      }
    },
  );

  it.each([
    'example.com',
    'svc.example.com',
    'onion.com',
    'mysvc',
    'test.de',
    'latest',
    'xn--e1afmkfd.xn--p1ai',
    '8.8.8.8',
    '[2606:4700::1111]',
  ])('%s are public where they have a dot and end in no such name', (name) => {
    const { hostname } = new URL(`http://${name}/`);
    expect(isPublicHost(hostname)).toBe(/[.:]/.test(name));
  });
});
