import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What end() sends first, when it is there. An internal of Node's, so its form is checked before it is relied on. */
interface Head {
  _header: string | null;
}

/** Node's own head of a redirect: what we gave it, the date, what it says of the connection. */
const NODES_HEAD =
  /^HTTP\/1\.1 [^]*\r\ncontent-length: 0\r\nDate: [^\r\n]+ GMT\r\n(Connection: keep-alive\r\n(?:Keep-Alive: timeout=\d+\r\n)?\r\n)$/;
/** What writeHead() would not refuse either, and less. */
const PRINTABLE = /^[ -~]*$/;
const SECOND_MS = 1_000;

/**
 * Heads of redirects as one text, byte for byte what writeHead() makes of the same names and values. The first one of a
 * process is Node's, and what it says of the connection is taken from there; where it has another form, all are Node's.
 */
export class PrebuiltHead {
  #ofConnection: string | undefined;
  #date = '';
  #dateUntilMs = 0;

  /** Of an answer that writeHead() began. */
  learn(response: ServerResponse): void {
    if (this.#ofConnection !== undefined || !isUsual(response) || !Object.hasOwn(response, '_header')) return;
    this.#ofConnection = NODES_HEAD.exec((response as unknown as Head)._header ?? '')?.[1];
  }

  /** @returns false: nothing was begun; writeHead() has to */
  begin(response: ServerResponse, status: number, headers: readonly string[]): boolean {
    const reason = STATUS_CODES[status];
    if (this.#ofConnection === undefined || reason === undefined || !isUsual(response)) return false;
    if (response.headersSent || response.getHeaderNames().length > 0) return false;
    let head = `HTTP/1.1 ${status} ${reason}\r\n`;
    for (let at = 0; at < headers.length; at += 2) {
      const value = headers[at + 1] as string;
      if (!PRINTABLE.test(value)) return false;
      head += `${headers[at] as string}: ${value}\r\n`;
    }
    response.statusCode = status;
    (response as unknown as Head)._header = `${head}Date: ${this.#now()}\r\n${this.#ofConnection}`;
    return true;
  }

  #now(): string {
    const now = Date.now();
    // Also after the clock was set back.
    if (now >= this.#dateUntilMs || now < this.#dateUntilMs - SECOND_MS) {
      this.#date = new Date(now).toUTCString();
      this.#dateUntilMs = now - (now % SECOND_MS) + SECOND_MS;
    }
    return this.#date;
  }
}

/** HTTP/1.1, and the connection stays. */
function isUsual({ req, shouldKeepAlive }: ServerResponse): boolean {
  return shouldKeepAlive && req.httpVersionMajor === 1 && req.httpVersionMinor === 1;
}
