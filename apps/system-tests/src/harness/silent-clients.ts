import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends requests one behind the other on several connections, and never reads an answer. */
export class SilentClients {
  readonly #sockets: Socket[] = [];

  /** @param request as on the wire, with the empty line at its end */
  async ask(url: string, request: string, { connections, requests }: { connections: number; requests: number }) {
    const { hostname, port } = new URL(url);
    const all = request.repeat(requests);
    for (let n = 0; n < connections; n += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      // The server may end a connection whose client does not read.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.pause();
      socket.write(all);
      this.#sockets.push(socket);
    }
  }

  leave(): void {
    for (const socket of this.#sockets.splice(0)) socket.destroy();
  }
}
