import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';

import { type Listed, LiveList } from './live-list.js';

/** Of all connections: some 30 MB. One read of a socket (64 KB) can bring 3,600 of them. */
const MOST_WAITING = 10_000;
/** How long a client may take nothing of an answer. */
const UNREAD_MS = 60_000;
const CHECKS = 6;

/** Connections that this process ended, by reason. */
const ENDED = { unread: 0, waiting: 0 };

/** `unread`: the client took nothing of an answer; `waiting`: too many requests waited, and most of them on this connection. */
export function endedConnections(): Readonly<typeof ENDED> {
  return ENDED;
}

interface Bounds {
  mostWaiting?: number;
  unreadMs?: number;
}

/**
 * A server whose connections hold one answer each, however many requests a client sends and however little it reads.
 *
 * A request behind another one of its connection is handled once that one's answer is with the system: until then its
 * response has no socket. Node would handle all requests of one read at once, and keep all of their answers. Meanwhile
 * nothing more is read from the socket. A client that takes nothing of an answer for a minute loses its connection. When more
 * requests wait than a process lets wait, the connection with the most of them ends: a modest client loses nothing to a greedy one.
 */
export function createBoundedServer(options: ServerOptions, handle: RequestListener, bounds: Bounds = {}): Server {
  const waiting = new WaitingRequests(handle, bounds.mostWaiting ?? MOST_WAITING);
  const server = createServer(options, (request, response) => {
    // The path of every request: nothing is counted for it.
    if (response.socket !== null) handle(request, response);
    else waiting.add(request, response);
  });
  closeUnread(server, bounds.unreadMs ?? UNREAD_MS);
  return server;
}

const REFUSED = new WeakSet<ServerResponse>();

/** A request that turned out to be broken before its turn came: it is not handled. */
export function refusePending(response: ServerResponse): void {
  REFUSED.add(response);
}

/** Requests that came before the answers of earlier ones were sent; Node has them in order and gives each its turn. */
class WaitingRequests {
  readonly #bySocket = new Map<Socket, { count: number }>();
  #ofAll = 0;

  constructor(
    private readonly handle: RequestListener,
    private readonly most: number,
  ) {}

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const own = this.#bySocket.get(socket) ?? this.#begin(socket);
    this.#change(own, 1);
    if (this.#ofAll > this.most) this.#endGreediest();
    if (socket.destroyed) return;
    socket.pause();
    response.once('socket', () => {
      // Nobody can be answered any more: what was not begun is not done.
      if (socket.destroyed) return;
      this.#change(own, -1);
      if (own.count === 0) socket.resume();
      // Node has yet to do what it does with a response that is given its socket.
      process.nextTick(() => {
        if (!socket.destroyed && !REFUSED.has(response)) this.handle(request, response);
      });
    });
  }

  #begin(socket: Socket): { count: number } {
    const own = { count: 0 };
    this.#bySocket.set(socket, own);
    // Node reads on by itself when an answer was sent and when a body is read.
    socket.on('resume', () => {
      if (own.count > 0) socket.pause();
    });
    socket.once('close', () => this.#leave(socket));
    return own;
  }

  #endGreediest(): void {
    let greediest: Socket | undefined;
    let most = 0;
    for (const [socket, { count }] of this.#bySocket) {
      if (count > most) [greediest, most] = [socket, count];
    }
    if (greediest === undefined) return;
    ENDED.waiting += 1;
    // `close` comes later: its requests must not count for the next one that is added.
    this.#leave(greediest);
    greediest.destroy();
  }

  #leave(socket: Socket): void {
    const own = this.#bySocket.get(socket);
    if (own !== undefined) this.#change(own, -own.count);
    this.#bySocket.delete(socket);
  }

  #change(own: { count: number }, by: number): void {
    own.count += by;
    this.#ofAll += by;
  }
}

function closeUnread(server: Server, unreadMs: number): void {
  /** How far each connection was, and how many checks found it there: a stall of this process counts as one check. */
  const connections = new LiveList<Listed & { socket: Socket; sent: string; checks: number }>();
  const check = () => {
    for (const connection of connections) {
      const { socket } = connection;
      const sent = socket.writableLength === 0 ? '' : progressOf(socket);
      if (sent === '' || sent !== connection.sent) Object.assign(connection, { sent, checks: 0 });
      else if (++connection.checks >= CHECKS) endUnread(socket);
    }
  };
  server.on('connection', (socket) => {
    // A target that is served again comes as a stream in front of a socket that is watched already.
    if (!(socket instanceof Socket)) return;
    const connection = { socket, sent: '', checks: 0, place: -1 };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => (timer = setInterval(check, unreadMs / CHECKS).unref()));
  server.on('close', () => clearInterval(timer));
}

export function endUnread(socket: Socket): void {
  ENDED.unread += 1;
  socket.destroy();
}

/** Differs when the client took anything: whole writes, or a part of the one that the system has. */
export function progressOf(socket: Socket): string {
  const { writeQueueSize = 0 } = (socket as { _handle?: { writeQueueSize?: number } | null })._handle ?? {};
  return `${socket.bytesWritten - socket.writableLength} ${writeQueueSize}`;
}
