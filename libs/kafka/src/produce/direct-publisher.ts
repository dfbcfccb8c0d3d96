import type { KafkaConnection } from '../client/create-kafka.js';
import type { PublishOptions } from '../publisher/kafka-publisher.js';
import type { OutgoingRecord } from '../records.js';
import { BrokerSocket } from './broker-socket.js';
import { type Leader, Leaders } from './leaders.js';
import { logIn } from './log-in.js';
import { ProduceWire } from './produce-wire.js';

export interface DirectPublisherOptions extends KafkaConnection {
  /** The one whose records go over own connections. */
  topic: string;
  requestTimeoutMs: number;
  /** Tests only: another way to that broker than its own address. */
  wayTo?: (broker: Leader['broker']) => Leader['broker'];
}

/** The part of KafkaPublisher that is needed here. */
interface Fallback {
  connect(): Promise<void>;
  publish(topic: string, records: OutgoingRecord[], options: PublishOptions): Promise<void>;
}

const LOOK_EVERY_MS = 5_000;
/** After a failure. */
const LOOK_AGAIN_AFTER_MS = 1_000;

/**
 * Publishes the records of one topic over connections of its own, one to each broker: kafkajs costs more
 * for a visit than all else in the request (decision 0065). kafkajs logs in, and sends whatever cannot be
 * sent here: the records of other topics, those for which no connection is open or free, and those of a
 * request that was not acknowledged. Such a request may have been written all the same: its records are
 * then in Kafka twice.
 *
 * Nothing here runs while nothing is published.
 */
export class DirectPublisher {
  /** Requests acknowledged, by who sent them. */
  readonly requests = { socket: 0, kafkajs: 0 };
  readonly #wire: ProduceWire;
  readonly #metadata: Leaders;
  readonly #sockets = new Map<string, BrokerSocket>();
  #leaders: Leader[] = [];
  #turn = 0;
  #isLooking = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #lookAfterMs = LOOK_EVERY_MS;
  #isClosed = false;

  constructor(
    private readonly kafkajs: Fallback,
    private readonly options: DirectPublisherOptions,
  ) {
    const { clientId, topic, requestTimeoutMs: timeoutMs } = options;
    this.#wire = new ProduceWire({ clientId, topic, timeoutMs });
    this.#metadata = new Leaders(options, topic, timeoutMs);
  }

  connect(): Promise<void> {
    return this.kafkajs.connect();
  }

  /** As KafkaPublisher.publish(), and settles `requestTimeoutMs` later than that at most. */
  async publish(topic: string, records: OutgoingRecord[], options: PublishOptions): Promise<void> {
    if (topic === this.options.topic && options.partition === 'rotate' && (await this.#isSent(records))) {
      this.requests.socket += 1;
      return;
    }
    await this.kafkajs.publish(topic, records, options);
    this.requests.kafkajs += 1;
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets.values()) socket.close(new Error('the publisher is closed'));
    this.#metadata.close();
  }

  async #isSent(records: OutgoingRecord[]): Promise<boolean> {
    if (records.length === 0 || this.#isClosed) return false;
    if (performance.now() - this.#lookedAtMs >= this.#lookAfterMs) void this.#look();
    const chosen = this.#choose();
    if (chosen === undefined) return false;
    try {
      await chosen.socket.send(chosen.partition, records);
      return true;
    } catch {
      // The socket has closed and said why; kafkajs sends the same records.
      return false;
    }
  }

  /** The next partition in turn, of those whose connections have the fewest requests under way. */
  #choose(): { socket: BrokerSocket; partition: number } | undefined {
    let best: { socket: BrokerSocket; partition: number } | undefined;
    let turn = this.#turn;
    for (let step = 1; step <= this.#leaders.length; step += 1) {
      const nth = (this.#turn + step) % this.#leaders.length;
      const { partition, broker } = this.#leaders[nth] as Leader;
      const socket = this.#sockets.get(nameOf(broker));
      if (socket?.isFree !== true || (best !== undefined && best.socket.owed <= socket.owed)) continue;
      best = { socket, partition };
      turn = nth;
    }
    this.#turn = turn;
    return best;
  }

  /** Who leads what, and a connection to each of them. Never throws. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookedAtMs = performance.now();
    this.#lookAfterMs = LOOK_EVERY_MS;
    try {
      const leaders = await this.#metadata.ask();
      if (this.#isClosed) return this.#metadata.close();
      const brokers = new Map(leaders.map(({ broker }) => [nameOf(broker), broker]));
      for (const [name, socket] of this.#sockets)
        if (!brokers.has(name) && socket.owed === 0) socket.close(new Error('the broker leads nothing any more'));
      this.#leaders = leaders;
      const missing = [...brokers].filter(([name]) => !this.#sockets.has(name));
      await Promise.all(missing.map(([name, broker]) => this.#open(name, broker)));
    } catch (error) {
      this.#lookAfterMs = LOOK_AGAIN_AFTER_MS;
      this.options.logger.warn({ err: error }, 'Kafka does not say who leads its partitions');
    } finally {
      this.#isLooking = false;
    }
  }

  async #open(name: string, broker: Leader['broker']): Promise<void> {
    const { requestTimeoutMs: timeoutMs, logger, wayTo = (direct) => direct } = this.options;
    const connected = await logIn(this.options, wayTo(broker), timeoutMs).catch((error: unknown) => {
      logger.warn(
        { err: error, broker: name },
        'no own connection to a broker: records are sent to others, or by kafkajs',
      );
    });
    if (connected === undefined || this.#isClosed) return void connected?.destroy();
    const onClose = (reason: Error, unanswered: number) => {
      this.#sockets.delete(name);
      if (this.#isClosed) return;
      // A broker closes connections that were idle for ten minutes (connections.max.idle.ms).
      const level = unanswered === 0 ? 'debug' : 'warn';
      this.#failed(reason, `the connection to ${name} is closed: kafkajs sends the records`, level);
    };
    const socket = new BrokerSocket(connected, this.#wire, { timeoutMs, onClose });
    if (!socket.isOpen) return;
    this.#sockets.set(name, socket);
    logger.debug({ broker: name }, 'own connection to a broker');
  }

  /** What was known of the leaders may be the reason. */
  #failed(reason: Error, message: string, level: 'debug' | 'warn' = 'warn'): void {
    this.#leaders = [];
    this.#lookAfterMs = LOOK_AGAIN_AFTER_MS;
    this.options.logger[level]({ err: reason }, message);
  }
}

function nameOf({ host, port }: Leader['broker']): string {
  return `${host}:${port}`;
}
