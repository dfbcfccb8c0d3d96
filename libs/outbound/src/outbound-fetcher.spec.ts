import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isAppError, isPrivateAddress } from '@hopcount/runtime';

import { TestDns, TestSite, type Zone } from './outbound.spec-helpers.js';
import { OutboundFetcher, type OutboundOptions } from './outbound-fetcher.js';

/** Stands for the public internet; all other addresses are judged as ever. */
const PUBLIC = '127.0.0.2';
const LIMIT = 512 * 1_024;

const zone: Zone = {
  'public.test': [PUBLIC],
  'private.test': ['127.0.0.1'],
  'elsewhere.test': [PUBLIC],
  'one-of-two.test': [PUBLIC, '10.0.0.5'],
  'six.test': ['::1'],
  'public-and-six.test': [PUBLIC, 'fe80::1'],
  'mapped.test': ['::ffff:7f00:1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'metadata.test': ['169.254.169.254'],
  '10.0.0.5.nip.test': ['10.0.0.5'],
  'nothing.test': [],
  'silent.test': 'silence',
  'broken.test': 'failure',
  // Public when it is judged, private when a socket would ask again.
  'rebinding.test': (question) => [question === 0 ? PUBLIC : '127.0.0.1'],
};

let dns: TestDns;
let outside: TestSite;
let inside: TestSite;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let fetcher: OutboundFetcher;

const fetcherWith = (options: Partial<OutboundOptions> = {}) =>
  new OutboundFetcher({
    userAgent: 'Spec/1',
    allowPrivate: false,
    dnsServers: [dns.address],
    isPublicAddress: (address) => address === PUBLIC || !isPrivateAddress(address),
    ports: new Set([outside.port]),
    ...options,
  });

beforeAll(async () => {
  dns = await TestDns.start(zone);
  outside = await TestSite.start(PUBLIC, 0, (request, response) => answer(request, response));
  // What must not be reached: same port, another address.
  inside = await TestSite.start('127.0.0.1', outside.port, (_, response) => response.end('secret'));
  fetcher = fetcherWith();
});
afterAll(() => [dns, outside, inside].forEach((server) => server.stop()));
beforeEach(() => {
  answer = (_, response) => response.setHeader('content-type', 'text/html').end('<title>Hello</title>');
  for (const seen of [dns.questions, outside.requests, inside.requests]) seen.length = 0;
});

const at = (host: string, path = '/') => `http://${host}:${outside.port}${path}`;
const get = (address: string, by = fetcher) => by.get(address, { accept: 'text/html' });

async function outcome(address: string, by = fetcher): Promise<string> {
  try {
    return (await get(address, by)).body.toString();
  } catch (error) {
    if (!isAppError(error)) throw error;
    expect(error.retryable).toBe(error.code === 'outbound-failed');
    return `${error.code}: ${String(error.details['reason'])}`;
  }
}

const redirectTo = (location: string) => {
  answer = (_, response) => response.writeHead(302, { location }).end();
};

describe('a page outside', () => {
  it('is fetched under our name, without credentials, cookies or a kept connection', async () => {
    answer = ({ url }, response) => {
      response.setHeader('set-cookie', 'a=b; Path=/');
      if (url === '/') response.writeHead(307, { location: '/there?x=1#part' }).end();
      else response.setHeader('content-type', 'text/html; charset=utf-8').end('found');
    };
    const page = await get(at('public.test'));
    expect({ ...page, body: page.body.toString() }).toEqual({
      url: at('public.test', '/there?x=1#part'),
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: 'found',
      isCut: false,
    });
    expect(outside.requests.map(({ url }) => url)).toEqual(['/', '/there?x=1']);
    for (const { headers, method } of outside.requests) {
      expect([method, headers]).toEqual([
        'GET',
        {
          host: `public.test:${outside.port}`,
          'user-agent': 'Spec/1',
          accept: 'text/html',
          'accept-encoding': 'identity',
          connection: 'close',
        },
      ]);
    }
  });

  it('gets the credentials that are for it, and nobody it leads to does', async () => {
    const seen: (string | undefined)[] = [];
    answer = (request, response) => {
      seen.push(request.headers['x-api-key'] as string | undefined);
      const [, hops] = /^\/(\d)$/.exec(request.url ?? '') ?? [];
      if (hops === '2') response.writeHead(302, { location: '/1' }).end();
      else if (hops === '1') response.writeHead(302, { location: `http://elsewhere.test:${outside.port}/0` }).end();
      else response.end('there');
    };
    const options = { accept: '*/*', credentials: { 'x-api-key': 'secret' } };
    await fetcher.get(`http://public.test:${outside.port}/2`, options);
    expect(seen).toEqual(['secret', 'secret', undefined]);
  });

  it('is what it is, also when its status is an error', async () => {
    answer = (_, response) => response.writeHead(404).end('gone');
    expect(await get(at('public.test'))).toMatchObject({ status: 404, body: Buffer.from('gone') });
  });
});

describe('an address that must not be asked', () => {
  it.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', '10.0.0.5', '100.64.0.1', '169.254.169.254'],
    ...[
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::7f00:1]',
    ],
    ...['[2002:7f00:1::]', '192.168.1.1', '255.255.255.255', '１２７.0.0.1'],
    ...['private.test', 'PRIVATE.test.', 'one-of-two.test', 'six.test', 'public-and-six.test', 'mapped.test'],
    ...['nat64.test', 'metadata.test', '10.0.0.5.nip.test'],
  ])('S17: %s is refused before a connection', async (host) => {
    expect(await outcome(at(host))).toBe('outbound-refused: private-address');
    expect([outside.requests, inside.requests]).toEqual([[], []]);
  });

  it.each([
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['ftp://public.test/', 'scheme'],
    ['gopher://public.test:70/', 'scheme'],
    ['no address', 'scheme'],
    ['http://user@public.test/', 'userinfo'],
    ['http://:secret@public.test/', 'userinfo'],
    ['http://public.test:6379/', 'port'],
    ['https://public.test:22/', 'port'],
  ])('%s is refused for its %s, and the DNS is not asked', async (address, reason) => {
    expect(await outcome(address)).toBe(`outbound-refused: ${reason}`);
    expect(dns.questions).toEqual([]);
  });

  it('has no other port than 80 and 443 unless said otherwise', async () => {
    const strict = fetcherWith({ ports: undefined });
    expect(await outcome(at('public.test'), strict)).toBe('outbound-refused: port');
    // Nobody listens there on this machine, but it would be asked.
    expect(await outcome('http://private.test:80/', strict)).toBe('outbound-refused: private-address');
    expect(await outcome('https://private.test/', strict)).toBe('outbound-refused: private-address');
  });

  it('S17: is refused where a redirect leads to it, too', async () => {
    const port = outside.port;
    for (const [location, reason] of [
      [`http://127.0.0.1:${port}/`, 'private-address'],
      ['http://169.254.169.254/latest/meta-data/', 'port'],
      [`http://169.254.169.254:${port}/latest/meta-data/`, 'private-address'],
      [`//[::ffff:127.0.0.1]:${port}/`, 'private-address'],
      [at('private.test'), 'private-address'],
      [at('mapped.test'), 'private-address'],
      ['http://public.test:6379/', 'port'],
      [`http://user:pw@public.test:${port}/`, 'userinfo'],
      ['file:///etc/passwd', 'scheme'],
      ['javascript:alert(1)', 'scheme'],
      ['http://[', 'redirects'],
    ] as const) {
      redirectTo(location);
      expect([location, await outcome(at('public.test'))]).toEqual([location, `outbound-refused: ${reason}`]);
    }
    expect(inside.requests).toEqual([]);
  });

  it('may be asked where private targets are allowed', async () => {
    const open = fetcherWith({ allowPrivate: true, ports: undefined, isPublicAddress: undefined });
    expect(await outcome(at('private.test'), open)).toBe('secret');
    expect(await outcome(at('127.0.0.1'), open)).toBe('secret');
  });
});

describe('a name that changes its answer', () => {
  it('S17: gains nothing: it is asked once, and the socket goes to the address that was judged', async () => {
    expect(await outcome(at('rebinding.test'))).toBe('<title>Hello</title>');
    expect(dns.questions).toEqual(['rebinding.test', 'rebinding.test']); // A and AAAA
    expect([outside.requests.length, inside.requests.length]).toEqual([1, 0]);
  });

  it('is judged anew where a redirect leads back to it', async () => {
    zone['turning.test'] = (question) => [question === 0 ? PUBLIC : '127.0.0.1'];
    redirectTo('/again');
    expect(await outcome(at('turning.test'))).toBe('outbound-refused: private-address');
    expect([outside.requests.length, inside.requests.length]).toEqual([1, 0]);
  });
});

describe('a name without an answer', () => {
  it.each([
    ['nobody.test', 'outbound-refused: unknown-host'],
    ['nothing.test', 'outbound-refused: unknown-host'],
    ['localhost.test', 'outbound-refused: unknown-host'],
    ['broken.test', 'outbound-failed: dns'],
  ])('%s is %s', async (host, expected) => {
    expect(await outcome(at(host))).toBe(expected);
  });
});

describe('a server that wears us out', () => {
  const impatient = () => fetcherWith({ timeoutMs: 500 });
  const timeout = 'outbound-failed: timeout';

  it('by redirects is followed three times', async () => {
    answer = ({ url = '/' }, response) => response.writeHead(302, { location: `${url}x` }).end();
    expect(await outcome(at('public.test'))).toBe('outbound-refused: redirects');
    expect(outside.requests.map(({ url }) => url)).toEqual(['/', '/x', '/xx', '/xxx']);
    answer = ({ url }, response) =>
      url === '/xxx' ? response.end('here') : response.writeHead(302, { location: `${url}x` }).end();
    expect(await outcome(at('public.test'))).toBe('here');
  });

  it('by silence, of the DNS, before the answer, in its head and in its body, is left in time', async () => {
    expect(await outcome(at('silent.test'), impatient())).toBe(timeout);
    answer = () => undefined;
    expect(await outcome(at('public.test'), impatient())).toBe(timeout);
    answer = ({ socket }) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n');
    expect(await outcome(at('public.test'), impatient())).toBe(timeout);
    answer = ({ socket }) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', 'a');
    expect(await outcome(at('public.test'), impatient())).toBe(timeout);
    answer = ({ socket }) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n');
    expect(await outcome(at('public.test'), impatient())).toBe(timeout);
  });

  it('has one time for all its redirects', async () => {
    answer = (_, response) => void setTimeout(() => response.writeHead(302, { location: '/' }).end(), 300);
    expect(await outcome(at('public.test'), impatient())).toBe(timeout);
  });

  it('by a body without end is heard to 512 KiB and hung up on', async () => {
    let isClosed = false;
    answer = ({ socket }, response) => {
      socket.on('close', () => (isClosed = true));
      const more = () => !isClosed && response.write(Buffer.alloc(65_536, 'a'), more);
      response.writeHead(200, { 'content-length': String(10 * 2 ** 30) });
      more();
    };
    const page = await get(at('public.test'));
    expect([page.body.length, page.isCut]).toEqual([LIMIT, true]);
    while (!isClosed) await new Promise((resolve) => setImmediate(resolve));
  });

  it('S17: by a small body that grows to gigabytes is unpacked to 512 KiB', async () => {
    const packed = gzipSync(Buffer.alloc(64 * 2 ** 20));
    expect(packed.length).toBeLessThan(LIMIT);
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    const page = await get(at('public.test'));
    expect([page.body.length, page.isCut]).toEqual([LIMIT, true]);
  });

  it('by packing twice, in an unknown way or wrongly is refused', async () => {
    for (const [encoding, expected] of [
      ['gzip, gzip', 'outbound-refused: encoding'],
      ['zstd', 'outbound-refused: encoding'],
      ['gzip', 'outbound-failed: connection'],
    ] as const) {
      answer = (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end('not packed');
      expect([encoding, await outcome(at('public.test'))]).toEqual([encoding, expected]);
    }
  });

  it.each([
    ['a head of a megabyte', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(2 ** 20)}\r\n\r\n`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['half an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
    ['nothing', ''],
  ])('by %s fails', async (_, bytes) => {
    answer = ({ socket }) => socket.end(bytes);
    expect(await outcome(at('public.test'))).toBe('outbound-failed: connection');
  });

  it('is hung up on when the caller ends', async () => {
    const caller = new AbortController();
    answer = () => caller.abort(new Error('stop'));
    await expect(fetcher.get(at('public.test'), { accept: '*/*', signal: caller.signal })).rejects.toThrow('stop');
    await expect(fetcher.get(at('public.test'), { accept: '*/*', signal: caller.signal })).rejects.toThrow('stop');
    expect(outside.requests.length).toBe(1);
  });
});

describe('https', () => {
  let server: Server;
  const hello: Buffer[] = [];

  beforeAll(async () => {
    server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data: Buffer) => {
        hello.push(data);
        socket.end('no TLS');
      });
    }).listen(0, PUBLIC);
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it('speaks TLS to the address that was judged, and names the host', async () => {
    const { port } = server.address() as AddressInfo;
    const by = fetcherWith({ ports: new Set([port]) });
    expect(await outcome(`https://public.test:${port}/`, by)).toBe('outbound-failed: connection');
    expect([hello[0]?.[0], hello[0]?.includes('public.test')]).toEqual([22, true]); // a handshake record
  });
});

/** A beginning, then a little again and again for as long as somebody listens. */
function drip(socket: IncomingMessage['socket'], start: string, drop: string): void {
  socket.on('error', () => undefined);
  socket.write(start);
  const timer = setInterval(() => socket.write(drop), 20);
  socket.on('close', () => clearInterval(timer));
}
