import { connect, createServer, type Server, type Socket } from 'node:net';

interface Mischief {
  direction: 'up' | 'down';
  at: Buffer;
  times: number;
  stall: boolean;
}

/** A line on which chosen bytes are changed on their way, or nothing comes any more after them; it can be cut. */
export class CorruptingProxy {
  corrupted = 0;
  #mischief: Mischief | undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  static async listen(target: URL): Promise<CorruptingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const proxy = new CorruptingProxy(server, port);
    server.on('connection', (client) => {
      const upstream = connect({ host: target.hostname, port: Number(target.port) });
      proxy.#pass(client, upstream, 'up');
      proxy.#pass(upstream, client, 'down');
    });
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  corruptUp(at: Buffer): void {
    this.#begin({ direction: 'up', at, times: Infinity, stall: false });
  }

  corruptDown(at: Buffer, times: number): void {
    this.#begin({ direction: 'down', at, times, stall: false });
  }

  stallDown(at: Buffer): void {
    this.#begin({ direction: 'down', at, times: Infinity, stall: true });
  }

  stop(): void {
    this.#mischief = undefined;
  }

  /** Connections end and are refused, as of a server that was killed. */
  async cut(): Promise<void> {
    if (this.server.listening) await this.close();
  }

  /** Once it was cut. */
  async mend(): Promise<void> {
    if (this.server.listening) return;
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #begin(mischief: Mischief): void {
    this.corrupted = 0;
    this.#mischief = mischief;
  }

  #pass(from: Socket, to: Socket, direction: Mischief['direction']): void {
    this.#sockets.add(from);
    let stalled = false;
    let last = Buffer.alloc(0);
    from.on('data', (chunk: Buffer) => {
      if (stalled) return;
      const mischief = this.#mischief;
      if (mischief?.direction === direction && mischief.times > this.corrupted) {
        // Where the end of a chunk cuts them in two, the last one of them is changed.
        const seen = Buffer.concat([last, chunk]);
        const start = seen.indexOf(mischief.at);
        if (start >= 0) {
          this.corrupted += 1;
          stalled = mischief.stall;
          if (!stalled) chunk[start + mischief.at.length - 1 - last.length]! ^= 0xff;
        }
        last = Buffer.from(seen.subarray(Math.max(0, seen.length - mischief.at.length + 1)));
      }
      if (!stalled) to.write(chunk);
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!stalled) to.destroy();
    });
  }
}
