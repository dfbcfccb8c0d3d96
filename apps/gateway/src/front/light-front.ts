import { type Server, STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';

import { type Listed, LiveList } from '@hopcount/runtime';

import type { Handle, RedirectResponse } from './exchange.js';
import { type Head, readHead } from './read-head.js';

interface Parts {
  handle: Handle;
  /** Whether the front may read a request for this target; the others are Node's. */
  isRedirect: (url: string) => boolean;
  health: { readonly isDraining: boolean };
  tally: { readonly front: Record<'requests' | 'handovers', number> };
}

/** As Node's own http: what is announced, and a second more, so that a request sent at its end still arrives. */
const KEPT_SECONDS = 5;
const IDLE_MS = (KEPT_SECONDS + 1) * 1_000;
const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEPT_SECONDS}\r\n`;
const SECOND_MS = 1_000;
const PRINTABLE = /^[ -~]*$/;

/**
 * Reads usual requests for short links (see readHead) itself and answers them with the bytes that Node would send:
 * Node's `http` costs more than all that Hopcount does for a redirect (decision 0067).
 *
 * A connection begins here. The first thing on it that is not one whole usual head, while no answer is pending, goes
 * to Node's `http` with the connection, for good: another method, a body, a head in two pieces or with anything
 * unusual, a second request before the answer to the first, a client that does not read, a process that is draining.
 * So there is no parser here, and no state but "one answer is pending".
 */
export class LightFront {
  readonly #open = new LiveList<LightConnection>();
  readonly #toHttp: (socket: Socket) => void;

  /** To be called before the server listens, after all that follows its connections. */
  constructor(
    readonly server: Server,
    private readonly parts: Parts,
  ) {
    const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    this.#toHttp = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      // What BadHttp serves again comes as a stream in front of a socket that Node has already.
      if (!('setTimeout' in socket)) this.#toHttp(socket);
      else this.#open.add(new LightConnection(socket, this));
    });
    this.#endWith('closeIdleConnections', (connection) => connection.isIdle);
    this.#endWith('closeAllConnections', () => true);
  }

  #endWith(name: 'closeIdleConnections' | 'closeAllConnections', ends: (connection: LightConnection) => boolean) {
    const ofNode = this.server[name].bind(this.server);
    this.server[name] = () => {
      for (const connection of this.#open) if (ends(connection)) connection.socket.destroy();
      ofNode();
    };
  }

  read(bytes: Buffer): Head | undefined {
    if (this.parts.health.isDraining) return undefined;
    const head = readHead(bytes);
    return head !== undefined && this.parts.isRedirect(head.url) ? head : undefined;
  }

  handle(connection: LightConnection, { method, url, headers }: Head): void {
    this.parts.tally.front.requests += 1;
    const response = new LightResponse(connection);
    connection.pending = response;
    const { socket } = connection;
    this.parts.handle({ method, url, headers, socket, forwardedFor: undefined, arrivedMs: undefined }, response);
  }

  handOver(connection: LightConnection): void {
    this.parts.tally.front.handovers += 1;
    this.#open.delete(connection);
    this.#toHttp(connection.socket);
  }

  closed(connection: LightConnection): void {
    this.#open.delete(connection);
  }
}

class LightConnection implements Listed {
  place = -1;
  /** The request under way, if there is one. */
  pending: LightResponse | undefined;
  #hasAsked = false;
  #hasEnded = false;

  constructor(
    readonly socket: Socket,
    private readonly front: LightFront,
  ) {
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS);
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout);
    socket.on('error', this.#onError).on('close', this.#onClose);
  }

  get isIdle(): boolean {
    return this.pending === undefined && this.socket.writableLength === 0;
  }

  /** @param isLast nothing follows on this connection */
  answer(bytes: Buffer | string, isLast: boolean, sent?: (error?: Error | null) => void): void {
    const { socket } = this;
    // Its close is still to come, and ends the response.
    if (!socket.writable) return;
    this.pending = undefined;
    if (typeof bytes === 'string') socket.write(bytes, 'latin1', sent);
    else socket.write(bytes, sent);
    if (isLast || this.#hasEnded) socket.end();
    else if (socket.isPaused()) this.#handOver();
  }

  readonly #onData = (bytes: Buffer): void => {
    const { socket } = this;
    // After the last answer: what is asked now is asked again elsewhere, and must not count here.
    if (!socket.writable) return;
    this.#hasAsked = true;
    const isFree = this.pending === undefined && socket.writableLength === 0;
    const head = isFree ? this.front.read(bytes) : undefined;
    if (head !== undefined) return this.front.handle(this, head);
    // Node's, once the answer under way is written. Until then nothing more is read.
    socket.pause();
    socket.unshift(bytes);
    if (this.pending === undefined) this.#handOver();
  };

  #handOver(): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout);
    socket.off('error', this.#onError).off('close', this.#onClose);
    socket.setTimeout(0);
    socket.pause();
    this.front.handOver(this);
    socket.resume();
  }

  /** The client sends nothing more. It may still read. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (this.pending === undefined) this.socket.end();
  };

  readonly #onTimeout = (): void => {
    const { socket } = this;
    if (this.pending !== undefined) return;
    // Node has a time for a first request, and an answer when it is over; and is more patient with a slow reader.
    if (socket.writable && (!this.#hasAsked || socket.writableLength > 0)) this.#handOver();
    else socket.destroy();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.front.closed(this);
    this.pending?.closed();
  };
}

class LightResponse implements RedirectResponse {
  headersSent = false;
  statusCode = 200;
  writableFinished = false;
  #head = '';
  #isLast = false;
  #onClose: (() => void)[] | undefined;

  constructor(private readonly connection: LightConnection) {}

  /** @throws as Node's, for an invalid header value */
  writeHead(status: number, headers: string[]): void {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] as string}\r\n`;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      if (!PRINTABLE.test(value)) validateHeaderValue(name, value);
      if (name === 'connection') this.#isLast = true;
      head += `${name}: ${value}\r\n`;
    }
    this.#head = head;
    this.statusCode = status;
    this.headersSent = true;
  }

  end(body?: Buffer | string): void {
    const head = `${this.#head}Date: ${httpDate()}\r\n${this.#isLast ? '' : KEPT}\r\n`;
    const hasBody = body !== undefined && body.length > 0;
    const bytes = hasBody
      ? Buffer.concat([Buffer.from(head, 'latin1'), typeof body === 'string' ? Buffer.from(body) : body])
      : head;
    const sent = this.#onClose === undefined ? undefined : (error?: Error | null) => this.#sent(error);
    this.connection.answer(bytes, this.#isLast, sent);
  }

  destroy(): void {
    this.connection.socket.destroy();
  }

  once(_event: 'close', listener: () => void): void {
    (this.#onClose ??= []).push(listener);
  }

  /** Before it was answered. */
  closed(): void {
    for (const listener of this.#onClose?.splice(0) ?? []) listener();
  }

  #sent(error?: Error | null): void {
    this.writableFinished = error === null || error === undefined;
    this.closed();
  }
}

let date = '';
let dateUntilMs = 0;

function httpDate(): string {
  const now = Date.now();
  // Also after the clock was set back.
  if (now >= dateUntilMs || now < dateUntilMs - SECOND_MS) {
    date = new Date(now).toUTCString();
    dateUntilMs = now - (now % SECOND_MS) + SECOND_MS;
  }
  return date;
}
