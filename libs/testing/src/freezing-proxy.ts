import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A way to a server on which bytes can be made to vanish, in both directions, while nothing is closed or
 * refused: what a host without power, or a NAT that forgot the flow, looks like.
 */
export class FreezingProxy {
  /** Chunks that vanished, which proves that something was on its way. */
  swallowed = 0;
  #frozen = false;
  readonly #sockets = new Set<Socket>();
  readonly #dead = new WeakSet<Socket>();

  private constructor(private readonly server: Server) {}

  /** @param target host and port are used, of any URL */
  static async listen(target: URL): Promise<FreezingProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new FreezingProxy(server);
    server.on('connection', (client) => {
      const upstream = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
      proxy.#pass(client, upstream);
      proxy.#pass(upstream, client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** The target's URL, by way of this proxy. */
  through(target: URL): string {
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Nothing passes. What is open now never will again. */
  freeze(): void {
    this.#frozen = true;
    this.forget();
  }

  /** What is open now is dead, new connections pass. */
  forget(): void {
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
      if (!isDead()) return void to.write(chunk);
      this.swallowed += 1;
      // Half a conversation is none: it may not go on after the thaw.
      this.#dead.add(from).add(to);
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
