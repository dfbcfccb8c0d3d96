// Redirects at a fixed rate with gaps as of visitors who know nothing of each other (Poisson), however late the answers are: an
// open loop. A request that finds no connection free waits for one, and that counts. `node client.js <settings as JSON>`
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { seededRandom, zipfPicker } from '../../harness/random.js';
import { percentile } from '../numbers.js';
import type { OpenLoopResult, OpenLoopSettings } from './run-open-loop.js';

const ANSWERS_WITHIN_MS = 10_000;
/**
 * Between two looks at the sockets while nothing is due: a loop without it takes a core, and the machine's other one
 * is slower for it.
 */
const NAP_MS = 0.1;
/** From here on the client's own lateness shows in the latencies, and is reported. */
const LATE_MS = 1;
const REDIRECT = 'HTTP/1.1 302 ';
const LENGTH = /^content-length: (\d+)\r$/im;

const settings = JSON.parse(process.argv[2] ?? '') as OpenLoopSettings;
const { hostname, port } = new URL(settings.url);
const requests = Array.from({ length: settings.links }, (_, link) =>
  Buffer.from(
    `GET /bench-${link} HTTP/1.1\r\nHost: ${settings.host}\r\nUser-Agent: ${settings.agent}\r\nAccept-Language: en-GB,en;q=0.9\r\n\r\n`,
  ),
);
const random = seededRandom(settings.seed);
const nextLink = zipfPicker(random, settings.links);
const latenciesMs: number[] = [];
let [offered, late, refused] = [0, 0, 0];

/** One keep-alive connection: one request at a time. Opened again when it is lost. */
class Connection {
  #socket: Socket | undefined;
  /** Undefined: no request is under way. */
  #dueMs: number | undefined;
  #answer = '';

  constructor() {
    this.#open();
  }

  visit(dueMs: number): void {
    this.#dueMs = dueMs;
    this.#answer = '';
    this.#socket?.write(requests[nextLink()] as Buffer);
  }

  #open(): void {
    const callback = (bytes: number, buffer: Uint8Array) => {
      this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
      return true;
    };
    const socket = connect({ host: hostname, port: Number(port), onread: { buffer: Buffer.alloc(4_096), callback } });
    this.#socket = socket.setNoDelay(true).on('error', () => undefined);
    socket
      .once('connect', () => free.add(this))
      .once('close', () => {
        free.delete(this);
        this.#dueMs = undefined;
        this.#open();
      });
  }

  /** A redirect of the gateway has no body, so it ends with the empty line. */
  #read(chunk: Buffer): void {
    if (this.#dueMs === undefined) throw new Error('an answer to no request');
    this.#answer += chunk.toString('latin1');
    const bodyAt = this.#answer.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    if (this.#answer.startsWith(REDIRECT)) latenciesMs.push(performance.now() - this.#dueMs);
    else if (this.#answer.length < bodyAt + Number(LENGTH.exec(this.#answer)?.[1] ?? 0)) return;
    else refused += 1;
    this.#end();
  }

  #end(): void {
    this.#dueMs = undefined;
    free.add(this);
  }
}

/** In the order in which they became free: none is idle for so long that its server closes it. */
const free = new Set<Connection>();
for (let opened = 0; opened < settings.connections; opened += 1) new Connection();
while (free.size < settings.connections) await nextTurn();
const startMs = performance.now();
const endMs = startMs + settings.seconds * 1_000;
const waitingMs: number[] = [];
const clock = new Int32Array(new SharedArrayBuffer(4));
let sent = 0;
let dueMs = startMs;

function turn(): void {
  const nowMs = performance.now();
  for (; dueMs <= nowMs && dueMs < endMs; dueMs -= (Math.log(1 - random()) * 1_000) / settings.perSecond) {
    offered += 1;
    if (nowMs - dueMs > LATE_MS) late += 1;
    waitingMs.push(dueMs);
  }
  for (const connection of free) {
    if (sent === waitingMs.length) break;
    free.delete(connection);
    connection.visit(waitingMs[sent] as number);
    sent += 1;
  }
  const isAnswered = sent === waitingMs.length && free.size === settings.connections;
  if (nowMs >= endMs && (isAnswered || nowMs >= endMs + ANSWERS_WITHIN_MS)) return report();
  Atomics.wait(clock, 0, 0, Math.max(0, Math.min(NAP_MS, dueMs - nowMs)));
  setImmediate(turn);
}

function report(): void {
  const result: OpenLoopResult = {
    ...{ offered, late, redirects: latenciesMs.length, refused, unanswered: offered - latenciesMs.length - refused },
    ...{ p50Ms: percentile(latenciesMs, 50), p99Ms: percentile(latenciesMs, 99) },
  };
  process.send?.(result, () => process.exit(0));
}

turn();
