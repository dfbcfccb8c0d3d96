import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes bytes to a server until frozen: then both directions vanish, and nothing is closed or refused. */
export class FreezingProxy {
  /** Chunks that vanished, which proves that something was on its way. */
  swallowed = 0;
  #frozen = false;
  readonly #sockets = new Set<Socket>();
  /** Connections that existed while frozen stay dead, as a flow a NAT forgot does. */
  readonly #dead = new WeakSet<Socket>();

  private constructor(private readonly server: Server) {}

  static async listen(host: string, port: number): Promise<FreezingProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new FreezingProxy(server);
    server.on('connection', (client) => {
      const target = connect({ host, port, allowHalfOpen: true });
      proxy.#pass(client, target);
      proxy.#pass(target, client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) this.#dead.add(socket);
  }

  /** New connections pass again; the server learns that the dead ones are gone. */
  thaw(): void {
    this.#frozen = false;
    for (const socket of this.#sockets) if (this.#dead.has(socket)) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #pass(from: Socket, to: Socket): void {
    const isDead = () => this.#frozen || this.#dead.has(from);
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      if (isDead()) this.swallowed += 1;
      else to.write(chunk);
    });
    from.on('end', () => {
      if (!isDead()) to.end();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!isDead()) to.destroy();
    });
  }
}
