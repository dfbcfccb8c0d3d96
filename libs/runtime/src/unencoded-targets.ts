import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** With what came with the bytes that could not be parsed. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: unknown };

/** In Latin-1: one character is one byte. */
const HEAD = /^([A-Z]{3,7} )([\x21-\x7e\x80-\xff]+)( HTTP\/1\.[01]\r\n)([^]*?\r\n)\r\n/;
const NOT_ASCII = /[\x80-\xff]/g;

/**
 * Serves a request whose target has bytes that are not percent-encoded, as `curl https://s.example/größe` sends it: Node's parser
 * refuses it, and here it comes again with these bytes encoded, on a connection that ends with its answer. To be called by
 * the handler of `clientError`. Only the first request of a connection that came whole with its first bytes: nothing can stand
 * before it that was read otherwise.
 * @returns false: it is another error, or the request cannot be served
 */
export function serveUnencodedTarget(server: Server, error: ParserError, socket: Socket): boolean {
  // What comes after the request that is served reaches the parser that has failed.
  if (TAKEN.has(socket)) return true;
  const { code, rawPacket } = error;
  if (code !== 'HPE_INVALID_URL' || !Buffer.isBuffer(rawPacket) || socket.bytesRead !== rawPacket.length) return false;
  const request = encoded(rawPacket.toString('latin1'));
  if (request === undefined) return false;
  TAKEN.add(socket);
  server.emit('connection', new ServedAgain(socket, Buffer.from(request, 'latin1')));
  return true;
}

const TAKEN = new WeakSet<Socket>();

/** Undefined: it has other faults, or came in parts. */
function encoded(packet: string): string | undefined {
  const [head, method = '', target = '', version = '', fields = ''] = HEAD.exec(packet) ?? [];
  if (head === undefined || /^transfer-encoding\s*:/im.test(fields)) return undefined;
  const bodyLength = Number(/^content-length:[ \t]*(\d{1,9})[ \t]*\r$/im.exec(fields)?.[1] ?? 0);
  const body = packet.slice(head.length, head.length + bodyLength);
  if (body.length < bodyLength) return undefined;
  const plain = target.replace(NOT_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  if (plain === target) return undefined;
  // What follows is not read: the connection ends.
  return `${method}${plain}${version}Connection: close\r\n${fields}\r\n${body}`;
}

/** A connection whose first bytes are these, and whose answer goes to the socket. */
class ServedAgain extends Duplex {
  constructor(
    private readonly socket: Socket,
    request: Buffer,
  ) {
    super();
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    // Destroyed by an error of the socket; whoever writes to it is told.
    this.on('error', () => undefined);
    this.push(request);
  }

  /** By which requests are told apart, as of any socket. */
  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  override _read(): void {
    // Nothing follows.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }
}
