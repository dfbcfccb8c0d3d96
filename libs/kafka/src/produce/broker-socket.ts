import type { Socket } from 'node:net';

import type { ProduceMessage } from '../publisher/encode-produce.js';
import type { ProduceWire } from './produce-wire.js';

/** Requests that may wait for their answers; a broker works on those of one connection one after the other. */
const MOST_OWED = 5;
const LONGEST_REST_MS = 60_000;
const LAST_ID = 0x7fff_ffff;

interface Owed {
  correlationId: number;
  partition: number;
  timer: NodeJS.Timeout;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Sends Produce requests over one connection to one broker.
 *
 *   open → closed   anything but an acknowledgement: an error code, an answer that is late or cannot be
 *                   understood, the end of the connection
 *
 * Kafka answers the requests of a connection in their order, so each answer has to be that of the oldest
 * one. When the connection closes, every request without an answer is rejected: whether its records were
 * written is unknown.
 */
export class BrokerSocket {
  readonly #owed: Owed[] = [];
  /** The answer being read: all there is of memory for what the broker sends. */
  readonly #answer: Buffer;
  #answerFilled = 0;
  #lastId = 0;
  #restUntilMs = 0;
  #isClosed = false;

  /** @param socket connected, logged in, and without other readers */
  constructor(
    private readonly socket: Socket,
    private readonly wire: ProduceWire,
    private readonly options: { timeoutMs: number; onClose: (reason: Error, unanswered: number) => void },
  ) {
    this.#answer = Buffer.alloc(wire.answerBytes);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.close(error));
    for (const event of ['end', 'close'])
      socket.on(event, () => this.close(new Error('the broker closed the connection')));
    if (socket.destroyed) this.close(new Error('the broker closed the connection'));
  }

  /** Requests without an answer. */
  get owed(): number {
    return this.#owed.length;
  }

  /** False: full, or the broker asked to be left alone for a while. */
  get isFree(): boolean {
    return this.#owed.length < MOST_OWED && performance.now() >= this.#restUntilMs;
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Resolves once every in-sync replica has the records; rejects when that is not known. */
  send(partition: number, records: readonly ProduceMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('the connection is closed');
      const correlationId = this.#lastId === LAST_ID ? 1 : this.#lastId + 1;
      const bytes = this.wire.request(correlationId, partition, records);
      this.#lastId = correlationId;
      const timer = setTimeout(() => this.#isLate(correlationId), this.options.timeoutMs);
      this.#owed.push({ correlationId, partition, timer, resolve, reject });
      this.socket.write(bytes);
    });
  }

  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.socket.destroy();
    this.options.onClose(reason, this.#owed.length);
    for (const { timer, reject } of this.#owed.splice(0)) {
      clearTimeout(timer);
      reject(reason);
    }
  }

  /** Timers run before sockets are read: after a pause of this process the answer may be in the socket. */
  #isLate(correlationId: number): void {
    setImmediate(() => {
      if (this.#owed.some((request) => request.correlationId === correlationId))
        this.close(new Error(`the broker did not answer in ${this.options.timeoutMs} ms`));
    });
  }

  #read(chunk: Buffer): void {
    let at = 0;
    try {
      while (at < chunk.length && !this.#isClosed) {
        const copied = chunk.copy(this.#answer, this.#answerFilled, at);
        at += copied;
        this.#answerFilled += copied;
        if (this.#answerFilled >= 4) this.wire.checkLength(this.#answer);
        if (this.#answerFilled < this.#answer.length) return;
        this.#answerFilled = 0;
        this.#answered();
      }
    } catch (error) {
      this.close(error as Error);
    }
  }

  #answered(): void {
    const [request] = this.#owed;
    if (request === undefined) throw new Error('the broker answered without a request');
    const { correlationId, partition, timer } = request;
    const { errorCode, throttleMs } = this.wire.answer(this.#answer, correlationId, partition);
    if (errorCode !== 0) throw new Error(`Kafka answered error code ${errorCode} for partition ${partition}`);
    this.#owed.shift();
    clearTimeout(timer);
    if (throttleMs > 0) this.#restUntilMs = performance.now() + Math.min(throttleMs, LONGEST_REST_MS);
    request.resolve();
  }
}
