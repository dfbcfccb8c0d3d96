import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** A head that is awaited (no `request` yet), or the rest of a body. */
interface Late {
  request: IncomingMessage | undefined;
  timer: NodeJS.Timeout;
  refuse: () => void;
}

/**
 * The deadline of a request without the time in which nothing was read of its connection. Node counts
 * `headersTimeout` and `requestTimeout` from the first byte on, also while an earlier answer is not sent yet or a
 * handler takes the body slowly: 408 for a client that did nothing wrong. Node reports a late request once; what it
 * has left is counted here.
 */
export class LateRequests {
  readonly #connections = new WeakMap<Duplex, Connection>();

  constructor(private readonly server: Server) {
    server.prependListener('connection', (socket: Duplex) => {
      this.#connections.set(socket, new Connection(socket));
    });
  }

  /** Has to know of each request when its head has come. */
  begin(request: IncomingMessage): void {
    this.#connections.get(request.socket)?.begin(request, this.server.requestTimeout);
  }

  /**
   * @returns whether the request that Node found late has more time. When that is over and it is not complete, it is
   * refused.
   */
  giveTime(socket: Duplex, refuse: () => void): boolean {
    return this.#connections.get(socket)?.giveTime(this.server, refuse) === true;
  }
}

class Connection {
  #unreadMs = 0;
  #unreadSince: number | undefined;
  #request: IncomingMessage | undefined;
  /**
   * The time unread when the head of the last request came, and of the one before: the last may have begun right
   * behind that.
   */
  #marks = { last: 0, before: 0 };
  #late: Late | undefined;

  constructor(socket: Duplex) {
    socket.on('pause', () => (this.#unreadSince ??= performance.now()));
    socket.on('resume', () => {
      this.#unreadMs = this.#unread();
      this.#unreadSince = undefined;
    });
    socket.once('close', () => clearTimeout(this.#late?.timer));
  }

  begin(request: IncomingMessage, bodyMs: number): void {
    this.#request = request;
    this.#marks = { last: this.#unread(), before: this.#marks.last };
    if (this.#late === undefined) return;
    const { request: known, timer, refuse } = this.#late;
    clearTimeout(timer);
    this.#late = undefined;
    // It was late with its head, and Node no longer watches it.
    if (known === undefined) this.#allow(bodyMs, request, refuse);
  }

  giveTime({ headersTimeout, requestTimeout }: Server, refuse: () => void): boolean {
    const request = this.#request?.complete === false ? this.#request : undefined;
    const [allowedMs, mark] =
      request === undefined ? [headersTimeout, this.#marks.last] : [requestTimeout, this.#marks.before];
    const leftMs = Math.min(allowedMs, this.#unread() - mark);
    if (leftMs > 0) this.#allow(leftMs, request, refuse);
    return leftMs > 0;
  }

  #allow(ms: number, request: IncomingMessage | undefined, refuse: () => void): void {
    clearTimeout(this.#late?.timer);
    const before = this.#unread();
    const timer = setTimeout(() => {
      this.#late = undefined;
      if (request?.complete === true) return;
      const unreadMs = this.#unread() - before;
      if (unreadMs > 0) this.#allow(unreadMs, request, refuse);
      else refuse();
    }, ms).unref();
    this.#late = { request, timer, refuse };
  }

  #unread(): number {
    return this.#unreadSince === undefined ? this.#unreadMs : this.#unreadMs + performance.now() - this.#unreadSince;
  }
}
