import { connect, createServer, type Server, type Socket } from 'node:net';

/** One address for two servers of which only one is asked, as a balancer or a name does it in front of a database and its standby. */
export class SwitchedWay {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {}

  /** @param target host and port are used */
  static async open(target: URL): Promise<SwitchedWay> {
    const server = createServer();
    const way: SwitchedWay = new SwitchedWay(server, target);
    server.on('connection', (client) => way.#pass(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return way;
  }

  /** The target's URL by this way. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as { port: number }).port}`;
    return url.href;
  }

  /** From now on; what is open ends. */
  switchTo(target: URL): void {
    this.target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #pass(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
