import type { Socket } from 'node:net';

import { inTime } from '@hopcount/runtime';
import { Kafka, logLevel } from 'kafkajs';

import { connectionOf, type KafkaConnection } from '../client/create-kafka.js';
import { connectSocket } from '../client/watched-socket.js';

/**
 * A connection to that broker, encrypted and logged in as `connection` says, for the caller alone. kafkajs
 * opens it and logs in. Then its reader is removed and nothing uses that client any more. What kafkajs does
 * when the connection ends is harmless: it ends it, too.
 */
export async function logIn(
  connection: KafkaConnection,
  { host, port }: { host: string; port: number },
  timeoutMs: number,
): Promise<Socket> {
  let socket: Socket | undefined;
  let onLost: (error: Error) => void = () => undefined;
  // kafkajs waits for ever when a connection breaks in the middle of a login.
  const lost = new Promise<never>((_, reject) => (onLost = reject));
  lost.catch(() => undefined);
  const admin = new Kafka({
    ...connectionOf(connection, timeoutMs),
    brokers: [`${host}:${port}`],
    connectionTimeout: timeoutMs,
    // Its timer for late answers would outlive the login.
    enforceRequestTimeout: false,
    retry: { retries: 0 },
    logLevel: logLevel.NOTHING,
    socketFactory: (args) => {
      // kafkajs cuts the address at its first colon, which an IPv6 address has inside.
      socket = connectSocket({ ...args, host, port });
      socket.once('error', onLost);
      socket.once('close', () => onLost(new Error(`${host}:${port} closed the connection`)));
      return socket;
    },
  }).admin();
  try {
    await inTime(Promise.race([admin.connect(), lost]), timeoutMs);
    if (socket === undefined) throw new Error(`no connection to ${host}:${port}`);
    return socket.removeAllListeners('data');
  } catch (error) {
    socket?.destroy();
    throw error;
  }
}
