import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { refusePending } from './bounded-server.js';
import { LateRequests } from './late-requests.js';
import { type ParseError, ServedAgain } from './unencoded-targets.js';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the request before on the same connection: answers leave in the order of their requests. */
  previous: ServerResponse | undefined;
}

/**
 * @param target what a method that HTTP does not know was asked of, with 405; else undefined
 * @returns a whole answer, from its status line on, that closes its connection
 */
type Render = (status: number, target: string | undefined) => string;

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
/** A token of RFC 9110, as every method is one. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ (\S+) HTTP\/1\.[01]\r?$/;

/**
 * What a server does with bytes that are no HTTP (or come too slowly, or have too large a head): one answer to each request,
 * in the order of requests, and the connection ends. A target with bytes that are not percent-encoded is served. Node tells of
 * the bytes only, not of what was answered before them.
 */
export class BadHttp {
  readonly #last = new WeakMap<Socket, Exchange>();
  readonly #ending = new WeakSet<Socket>();
  readonly #again = new WeakMap<Socket, ServedAgain>();
  #server: Server | undefined;
  #late: LateRequests | undefined;

  constructor(private readonly render: Render = withoutBody()) {}

  /** Has to know of all requests of the server. */
  follow(server: Server): void {
    this.#server = server;
    this.#late = new LateRequests(server);
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#note(request, response),
    );
    // Node answers it by itself, and tells nobody.
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#note(request, response);
      response.writeHead(417, { connection: 'close', 'content-length': '0' }).end();
    });
    // Without a listener Node destroys the socket, and with it the answers to earlier requests.
    server.on('connect', (request: IncomingMessage, socket: Socket) => {
      socket.on('error', () => socket.destroy());
      after(this.#last.get(socket)?.response, () => {
        if (socket.writable) socket.end(this.render(405, request.url));
        else socket.destroy();
      });
    });
  }

  /** Listener of `clientError`. */
  readonly refuse = (error: ParseError, socket: Socket): void => {
    // The parser fails again at each further packet; its answer may still be on its way.
    const isAnswered = this.#ending.has(socket) && !socket.writableFinished;
    if (error.code === 'ECONNRESET' || (!socket.writable && !isAnswered)) {
      socket.destroy();
      return;
    }
    const isLate = error.code === LATE;
    if (isLate && this.#late?.giveTime(socket, () => this.#refuse(error, socket)) === true) return;
    this.#refuse(error, socket);
  };

  #refuse(error: ParseError, socket: Socket): void {
    if (this.#ending.has(socket)) return this.#again.get(socket)?.add(error.rawPacket);
    this.#ending.add(socket);
    const last = this.#last.get(socket);
    if (this.#serveAgain(socket, error, last?.response)) return;
    if (last === undefined) return this.#answer(socket, error);
    const { request, response, previous } = last;
    // What is broken follows a whole request.
    if (request.complete) return after(response, () => this.#answer(socket, error));
    // What is broken belongs to a request that has its answer, or some of it: there is no other one to it.
    if (response.headersSent) return after(response, () => endSoon(socket));
    if (response.socket === null) refusePending(response);
    // It is handled without its body, and may count already: its own answer is the one.
    else if (request.method === 'GET' || request.method === 'HEAD') return after(response, () => endSoon(socket));
    return after(previous, () => this.#answer(socket, error));
  }

  #serveAgain(socket: Socket, error: ParseError, previous: ServerResponse | undefined): boolean {
    const server = this.#server;
    const again = ServedAgain.of(error, socket);
    if (again === undefined || server === undefined) return false;
    this.#again.set(socket, again);
    after(previous, () => again.begin(server));
    return true;
  }

  #note(request: IncomingMessage, response: ServerResponse): void {
    const before = this.#last.get(request.socket)?.response;
    const previous = before?.writableFinished === false ? before : undefined;
    this.#last.set(request.socket, { request, response, previous });
    this.#late?.begin(request);
  }

  #answer(socket: Socket, error: ParseError): void {
    // The answer before may have closed it.
    if (!socket.writable) return;
    const last = this.#last.get(socket);
    // An answer that was begun while others were waited for is the only one.
    if (last !== undefined && !last.request.complete && last.response.headersSent) {
      return after(last.response, () => endSoon(socket));
    }
    const target = error.code === 'HPE_INVALID_METHOD' ? targetOf(error) : undefined;
    socket.end(this.render(target === undefined ? statusOf(error.code) : 405, target));
  }
}

function after(response: ServerResponse | undefined, then: () => void): void {
  if (response === undefined || response.writableFinished || response.destroyed) then();
  else response.once('close', then);
}

/** What was written is sent first. A target that is served again has no socket but a stream, so no destroySoon(). */
function endSoon(socket: Duplex): void {
  socket.end(() => socket.destroy());
}

/** @param fields lines of a head */
export function withoutBody(fields = ''): Render {
  return (status) => {
    const more = status === 405 ? `allow: GET, HEAD\r\n${fields}` : fields;
    return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${more}connection: close\r\ncontent-length: 0\r\n\r\n`;
  };
}

/** Of the line in which the parser stopped, when it came in one piece and is one of HTTP but for its method. */
function targetOf({ rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const start = text.lastIndexOf('\n', bytesParsed - 1) + 1;
  const end = text.indexOf('\n', bytesParsed);
  return REQUEST_LINE.exec(text.slice(start, end === -1 ? start : end))?.[1];
}

function statusOf(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === LATE ? 408 : 400;
}
