import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import type { ISocketFactory } from 'kafkajs';

export interface WatchedSocketOptions {
  /** How long a broker that owes an answer may stay silent. */
  silenceMs: number;
  /** How long it may be silent after a JoinGroup, which it holds until every member of the group has joined. */
  joinSilenceMs?: number;
  /** Told of each request before it is written. */
  onRequest?: ((socket: Socket, apiKey: number) => void) | undefined;
}

const KEEP_ALIVE_DELAY_MS = 10_000;
/** Silence is counted in looks at the socket, not by the clock: see `watch`. */
const LOOKS = 4;
const JOIN_GROUP_API_KEY = 11;
/** A request: size (4 bytes), API key (2). */
const API_KEY_AT = 4;
/** kafkajs's own limit for a JoinGroup: its rebalanceTimeout (60 s, we set none) and 5 s; and 5 s more. */
const JOIN_SILENCE_MS = 70_000;

/**
 * kafkajs's socket factory, and a watch on each socket. When a broker's host loses power, or a NAT
 * forgets the flow, kafkajs rejects each request in time but sends the next one into the same socket,
 * until the kernel gives up (about 15 minutes). Here the socket is destroyed with an error, upon which
 * kafkajs connects anew.
 */
export function watchedSocketFactory(options: WatchedSocketOptions): ISocketFactory {
  return (args) => {
    const socket = connectSocket(args);
    watch(socket, options);
    return socket;
  };
}

/** A socket as kafkajs asks for it. */
export function connectSocket({ host, port, ssl, onConnect }: Parameters<ISocketFactory>[0]): Socket {
  // kafkajs types `ssl` as always there; without TLS it is null.
  const tls = ssl as typeof ssl | null | undefined;
  const socket = tls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls }, onConnect)
    : connectTcp({ host, port }, onConnect);
  return socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
}

/**
 * A socket waits for an answer when bytes were written after the last ones read (kafkajs sends nothing
 * that is not answered: acks=0 is used nowhere). One that waits for nothing may be silent for ever, and
 * an answered request starts the count anew. Each look that finds it waiting counts one, and one more
 * than LOOKS is too much: a process that was stopped (SIGSTOP, a suspended host) looks once when it
 * wakes, then reads what has arrived.
 */
function watch(socket: Socket, options: WatchedSocketOptions): void {
  const { silenceMs, joinSilenceMs = JOIN_SILENCE_MS } = options;
  const everyMs = Math.ceil(silenceMs / LOOKS);
  const looksForJoin = Math.ceil(joinSilenceMs / everyMs);
  let bytesWrittenAtLastRead = 0;
  let silentLooks = 0;
  let patience = 0;

  // A listener for `data` starts the flow of bytes; by `connect` kafkajs has its own, so none is lost.
  socket.once('connect', () => {
    socket.on('data', () => {
      bytesWrittenAtLastRead = socket.bytesWritten;
      silentLooks = 0;
    });
  });
  onRequest(socket, (apiKey) => {
    // A join is long even when all is well: ending it would only start it again.
    if (apiKey === JOIN_GROUP_API_KEY) patience = looksForJoin;
    options.onRequest?.(socket, apiKey);
  });

  const timer = setInterval(() => {
    patience -= 1;
    // An ended socket waits for the other side's end.
    const isWaiting = socket.bytesWritten > bytesWrittenAtLastRead || socket.writableEnded;
    silentLooks = isWaiting ? silentLooks + 1 : 0;
    if (silentLooks <= LOOKS || patience > 0) return;
    // kafkajs has let go of a socket it has ended: an error there would close the connection that followed.
    socket.destroy(socket.writableEnded ? undefined : tooSilent(silenceMs));
  }, everyMs).unref();
  socket.once('close', () => clearInterval(timer));
}

/** kafkajs writes each request in one call. */
function onRequest(socket: Socket, notice: (apiKey: number) => void): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]) => {
    const [bytes] = args;
    if (Buffer.isBuffer(bytes) && bytes.length > API_KEY_AT + 2) notice(bytes.readInt16BE(API_KEY_AT));
    return write(...args);
  };
}

function tooSilent(silenceMs: number): Error {
  return Object.assign(new Error(`the broker owes an answer for ${silenceMs} ms; connection given up`), {
    code: 'ETIMEDOUT',
  });
}
