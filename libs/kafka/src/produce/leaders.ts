import type { Socket } from 'node:net';

import { inTime } from '@hopcount/runtime';

import type { KafkaConnection } from '../client/create-kafka.js';
import { logIn } from './log-in.js';
import { FieldReader, int16, int32, string16 } from './wire-fields.js';

export interface Leader {
  partition: number;
  broker: { host: string; port: number };
}

const METADATA_API_KEY = 3;
const API_VERSION = 7;
const LENGTH_BYTES = 4;
/** Of thousands of brokers and partitions. */
const LONGEST_ANSWER = 1_024 * 1_024;
const DO_NOT_CREATE_TOPICS = Buffer.from([0]);

/**
 * Asks Kafka which broker leads each partition of one topic. kafkajs cannot be used for this: it reads the metadata of the whole
 * cluster and fails while any partition has no leader. The connection goes to the first configured broker that answers.
 */
export class Leaders {
  #socket: Socket | undefined;
  readonly #request: Buffer;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly topic: string,
    private readonly timeoutMs: number,
  ) {
    const head = [int16(METADATA_API_KEY), int16(API_VERSION), int32(0), string16(connection.clientId)];
    const request = Buffer.concat([...head, int32(1), string16(topic), DO_NOT_CREATE_TOPICS]);
    this.#request = Buffer.concat([int32(request.length), request]);
  }

  /** One question at a time. @throws Error: Kafka did not say */
  async ask(): Promise<Leader[]> {
    try {
      const socket = (this.#socket ??= await this.#open());
      return leadersIn(await inTime(answerTo(socket, this.#request), this.timeoutMs), this.topic);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    let reason: unknown;
    for (const broker of this.connection.brokers) {
      const port = broker.lastIndexOf(':');
      const address = { host: broker.slice(0, port), port: Number(broker.slice(port + 1)) };
      try {
        return this.#watch(await logIn(this.connection, address, this.timeoutMs));
      } catch (error) {
        reason = error;
      }
    }
    throw reason;
  }

  /** A broker closes connections that were idle for ten minutes (connections.max.idle.ms). */
  #watch(socket: Socket): Socket {
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    return socket;
  }
}

function answerTo(socket: Socket, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let answer = Buffer.alloc(0);
    const onEnd = () => reject(new Error('the broker closed the connection'));
    const onData = (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const length = answer.length < LENGTH_BYTES ? Infinity : answer.readInt32BE(0) + LENGTH_BYTES;
      if (answer.length < Math.min(length, LONGEST_ANSWER)) return;
      socket.off('data', onData).off('close', onEnd);
      if (answer.length === length) resolve(answer);
      else reject(new Error(`the broker's answer has ${answer.length} bytes instead of ${length}`));
    };
    if (socket.destroyed) return onEnd();
    socket.on('data', onData).once('close', onEnd);
    socket.write(request);
  });
}

/**
 * @param answer to Metadata, version 7, with its length (https://kafka.apache.org/protocol#The_Messages_Metadata)
 * @returns partitions that have a leader
 * @throws Error: it says nothing of that topic, or cannot be read
 */
export function leadersIn(answer: Buffer, topic: string): Leader[] {
  const fields = new FieldReader(answer);
  fields.skip(LENGTH_BYTES + 4 + 4); // correlation id, throttle
  const brokers = new Map(
    fields.list(() => {
      const broker = [fields.int32(), { host: fields.string16() ?? '', port: fields.int32() }] as const;
      fields.string16(); // rack
      return broker;
    }),
  );
  fields.string16(); // cluster
  fields.int32(); // controller
  const topics = fields.list(() => {
    const [errorCode, name] = [fields.int16(), fields.string16()];
    fields.skip(1); // whether it is internal
    return { errorCode, name, partitions: fields.list(() => readPartition(fields)) };
  });
  const known = topics.find(({ name }) => name === topic);
  if (known === undefined || known.errorCode !== 0)
    throw new Error(`Kafka answered error code ${known?.errorCode} for topic ${topic}`);
  return known.partitions.flatMap(({ partition, leader }) => {
    const broker = brokers.get(leader);
    return broker === undefined ? [] : [{ partition, broker }];
  });
}

function readPartition(fields: FieldReader): { partition: number; leader: number } {
  fields.int16(); // error code; a partition without a leader has leader -1
  const [partition, leader] = [fields.int32(), fields.int32()];
  fields.int32(); // leader epoch
  // Replicas, those in sync, those that are away.
  for (let list = 0; list < 3; list += 1) fields.list(() => fields.int32());
  return { partition, leader };
}
