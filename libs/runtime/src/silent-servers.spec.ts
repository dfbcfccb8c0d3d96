import { createServer, type Server, type Socket } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';

import { silentServers } from './silent-servers.js';

const WAIT_MS = 200;
const HELLO = Buffer.from('PING\r\n');

describe('servers that give no sign of life', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  });

  const listen = async (name: string, onConnection: (socket: Socket) => unknown) => {
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { name, host: '127.0.0.1', port: (server.address() as { port: number }).port, hello: HELLO };
  };

  it('are those that take a connection and answer nothing', async () => {
    const asked = [
      await listen('answers', (socket) => socket.on('data', () => socket.write('+PONG\r\n'))),
      await listen('hangs', (socket) => socket.resume()),
      await listen('ends it', (socket) => socket.end()),
      { name: 'refuses', host: '127.0.0.1', port: 1, hello: HELLO },
    ];
    expect((await silentServers(asked, WAIT_MS)).map(({ name }) => name)).toEqual(['hangs']);
  });
});
