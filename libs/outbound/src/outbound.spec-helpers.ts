import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import ipaddr from 'ipaddr.js';

export { makeCertificate, TestMailServer } from './mail-server.spec-helpers.js';

const TYPES = { 1: 'ipv4', 28: 'ipv6' } as const;
const HEADER_BYTES = 12;
const NAME_ERROR = 3;
const SERVER_FAILURE = 2;

/** Addresses of a name; of later questions other ones; `silence` and `failure` say what the server does instead. */
export type Zone = Record<
  string,
  readonly string[] | ((question: number) => readonly string[]) | 'silence' | 'failure'
>;

/** A DNS server on this machine that knows a few names. */
export class TestDns {
  /** Names that were asked for, one entry for each question (A and AAAA are two). */
  readonly questions: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly zone: Zone,
  ) {
    socket.on('message', (message, { port, address }) => {
      const answer = this.#answer(message);
      if (answer !== undefined) socket.send(answer, port, address);
    });
  }

  static async start(zone: Zone): Promise<TestDns> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new TestDns(socket, zone);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }

  #answer(message: Buffer): Buffer | undefined {
    const { name, type, end } = readQuestion(message);
    const asked = this.questions.filter((known) => known === name).length;
    this.questions.push(name);
    const known = this.zone[name];
    if (known === 'silence') return undefined;
    const addresses = typeof known === 'function' ? known(Math.floor(asked / 2)) : known;
    const code = known === 'failure' ? SERVER_FAILURE : known === undefined ? NAME_ERROR : 0;
    const kind = TYPES[type as keyof typeof TYPES];
    const parsed = (Array.isArray(addresses) ? addresses : []).map((address: string) => ipaddr.parse(address));
    const records = parsed.filter((address) => address.kind() === kind).map((address) => record(type, address));
    const header = Buffer.from(message.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    return Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records]);
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** For the name of the question, which stands right behind the header; not to be kept by anybody. */
function record(type: number, address: ipaddr.IPv4 | ipaddr.IPv6): Buffer {
  const bytes = Buffer.from(address.toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

/** A web server on one of this machine's addresses. */
export class TestSite {
  readonly requests: IncomingMessage[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request: IncomingMessage) => this.requests.push(request));
  }

  static async start(address: string, port: number, listener: RequestListener): Promise<TestSite> {
    const server = createServer(listener).listen(port, address);
    await once(server, 'listening');
    return new TestSite(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
