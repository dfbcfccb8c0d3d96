import { connect, createServer, type Server, type Socket } from 'node:net';

import type { Random } from '../harness/random.js';

/**
 * - `latency`: every byte arrives so much later, in order.
 * - `lose-answers`: a share of the answers never arrives; its connection is reset instead, after the
 *   request was done: the client cannot know whether it was.
 * - `blackhole`: nothing arrives either way and nothing is refused: a cable pulled out.
 */
export type ProxyFault =
  { kind: 'latency'; ms: number } | { kind: 'lose-answers'; share: number; random: Random } | { kind: 'blackhole' };

interface Pair {
  client: Socket;
  server: Socket;
  /** Kafka's client id, from the first request; '' for other protocols. */
  label: string;
  swallowed: boolean;
  queues: { toServer: Promise<void>; toClient: Promise<void> };
}

/** Stands between the apps and one service, and does to their connections what networks do. */
export class FaultProxy {
  /** Chunks delayed or swallowed and answers lost so far: the proof of a fault. */
  touched = 0;
  #fault: ProxyFault | undefined;
  #applies: (label: string) => boolean = () => true;
  readonly #pairs = new Set<Pair>();

  private constructor(
    private readonly server: Server,
    /** What stands in answers, and what takes its place. */
    private readonly replaced: () => [Buffer, Buffer] | undefined,
  ) {}

  /** @param isBroker Kafka names its own port in its answers, where clients would go on: it becomes this one */
  static async listen(port: number, targetPort: number, { isBroker = false } = {}): Promise<FaultProxy> {
    const server = createServer();
    const proxy: FaultProxy = new FaultProxy(server, () =>
      isBroker ? [brokerAddress(targetPort), brokerAddress(proxy.port)] : undefined,
    );
    server.on('connection', (client) => proxy.#accept(client, targetPort));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** @param applies whose connections, by Kafka client id; default: everybody's */
  break(fault: ProxyFault, applies: (label: string) => boolean = () => true): void {
    this.#fault = fault;
    this.#applies = applies;
  }

  /**
   * Back to normal. Connections that had bytes swallowed cannot go on: they are reset.
   * @param isSaid false: nobody hears of it, they stay silent, as where a router on the way has forgotten them
   */
  heal({ isSaid = true } = {}): void {
    this.#fault = undefined;
    for (const pair of this.#pairs) if (isSaid && pair.swallowed) close(pair);
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) close(pair);
    await new Promise((resolve) => this.server.close(resolve));
  }

  #accept(client: Socket, targetPort: number): void {
    const server = connect(targetPort, '127.0.0.1');
    const queues = { toServer: Promise.resolve(), toClient: Promise.resolve() };
    const pair: Pair = { client, server, label: '', swallowed: false, queues };
    this.#pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        close(pair);
      });
    }
    client.on('data', (chunk: Buffer) => {
      pair.label ||= kafkaClientId(chunk);
      this.#pass(pair, chunk, 'toServer');
    });
    server.on('data', (chunk: Buffer) => {
      const [from, to] = this.replaced() ?? [];
      for (let at = from === undefined ? -1 : chunk.indexOf(from); at !== -1; at = chunk.indexOf(from!, at + 1)) {
        to!.copy(chunk, at);
      }
      this.#pass(pair, chunk, 'toClient');
    });
  }

  #pass(pair: Pair, chunk: Buffer, direction: 'toServer' | 'toClient'): void {
    const target = direction === 'toServer' ? pair.server : pair.client;
    const fault = this.#applies(pair.label) ? this.#fault : undefined;
    if (fault?.kind === 'blackhole' || pair.swallowed) {
      pair.swallowed = true;
      this.touched += 1;
      return;
    }
    if (fault?.kind === 'lose-answers' && direction === 'toClient' && fault.random() < fault.share) {
      this.touched += 1;
      close(pair);
      return;
    }
    const delayMs = fault?.kind === 'latency' ? fault.ms : 0;
    if (delayMs > 0) this.touched += 1;
    const dueMs = performance.now() + delayMs;
    // A chain keeps the order also when a delay ends while slower bytes are still on their way.
    pair.queues[direction] = pair.queues[direction].then(async () => {
      const waitMs = dueMs - performance.now();
      if (delayMs > 0 && waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (target.writable) target.write(chunk);
    });
  }
}

function close({ client, server }: Pair): void {
  if (!client.destroyed) client.resetAndDestroy();
  server.destroy();
}

/** In answers about brokers: host (2 + n), port (4). */
function brokerAddress(port: number): Buffer {
  const host = '127.0.0.1';
  const bytes = Buffer.alloc(2 + host.length + 4);
  bytes.writeInt16BE(host.length, 0);
  bytes.write(host, 2);
  bytes.writeInt32BE(port, 2 + host.length);
  return bytes;
}

/** A Kafka request: size (4), api key (2), version (2), correlation id (4), client id (2 + n). */
export function kafkaClientId(request: Buffer): string {
  if (request.length < 14) return '';
  const length = request.readInt16BE(12);
  return length <= 0 || 14 + length > request.length ? '' : request.toString('latin1', 14, 14 + length);
}
