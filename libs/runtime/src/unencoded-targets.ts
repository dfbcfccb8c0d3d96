import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** As of `clientError`: with what came in the packet that could not be parsed, and how much of it was parsed before. */
export type ParseError = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number };

/** What stands before the byte that the parser refused, from the begin of its line on. */
const BEFORE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) [\x21-\x7e]*$/;
const LINE_FEED = 10;
/** As of a head: the parser refuses what is longer. */
const LONGEST_LINE = 16_384;

/**
 * A request whose target has bytes that are not percent-encoded, as `curl https://s.example/größe` sends it: Node's parser
 * refuses it, and here it comes again with these bytes encoded. Its answer ends the connection, so nothing is read behind it.
 *
 * The parser failed inside the target, so what came before the request line was read as a whole request, and the line begins
 * behind the last line feed. When its begin came in an earlier packet it is lost, and the request is refused.
 */
export class ServedAgain extends Duplex {
  /** What came of the request line until it is whole. */
  #line: Buffer | undefined = Buffer.alloc(0);

  private constructor(
    private readonly socket: Socket,
    bytes: Buffer,
  ) {
    super();
    // The answer before may have limited how long the connection is idle.
    socket.setTimeout?.(0);
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    // Destroyed by an error of the socket; the answer that is written to it gets the same error.
    this.on('error', () => undefined);
    this.add(bytes);
  }

  /** @returns undefined: it is another error, or a line that cannot be served */
  static of({ code, rawPacket, bytesParsed = 0 }: ParseError, socket: Socket): ServedAgain | undefined {
    if (code !== 'HPE_INVALID_URL' || !Buffer.isBuffer(rawPacket) || (rawPacket[bytesParsed] ?? 0) < 0x80)
      return undefined;
    const begin = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(LINE_FEED, bytesParsed - 1) + 1;
    const [, method] = BEFORE.exec(rawPacket.toString('latin1', begin, bytesParsed)) ?? [];
    if (method === undefined) return undefined;
    // At the begin of a later packet it could be the end of `PROPPATCH`.
    if (method === 'PATCH' && begin === 0 && socket.bytesRead > rawPacket.length) return undefined;
    return new ServedAgain(socket, rawPacket.subarray(begin));
  }

  /** @param bytes what came later: the parser that has failed tells of each packet */
  add(bytes: unknown): void {
    if (!Buffer.isBuffer(bytes)) return;
    if (this.#line === undefined) return this.#pass(bytes);
    this.#line = Buffer.concat([this.#line, bytes]);
    const feed = this.#line.indexOf(LINE_FEED);
    if (feed === -1 && this.#line.length < LONGEST_LINE) return;
    const end = feed === -1 ? this.#line.length : feed + 1;
    this.#pass(Buffer.from(`${encoded(this.#line.subarray(0, end))}Connection: close\r\n`));
    const rest = this.#line.subarray(end);
    this.#line = undefined;
    this.#pass(rest);
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0 && !this.push(bytes)) this.socket.pause();
  }

  /** As a connection of its own: the parser of the first one has failed for good. */
  begin(server: Server): void {
    if (this.socket.writable) server.emit('connection', this);
    else this.destroy();
  }

  /** By which requests are told apart, as of any socket. */
  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  override _read(): void {
    this.socket.resume();
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

function encoded(line: Buffer): string {
  return line.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}
