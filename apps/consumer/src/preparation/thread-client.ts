import { Worker } from 'node:worker_threads';

import { AppError, takeFirst } from '@hopcount/runtime';

import type { ConsumerConfig } from '../consumer.config.js';
import type { PrepareRecords } from './prepared-records.js';
import { type Answers, type FromThread, packValues, type Question, type ToThread } from './thread-messages.js';

/** Half of Node's own: 30 MB less of a process, and no more processor time. */
const YOUNG_HEAP_MB = 24;

interface Waiting {
  id: number;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

interface ThreadOptions {
  /** Of preparation/main.ts, as it is built. */
  url: URL;
  config: ConsumerConfig;
  onLookupFailures: (count: number) => void;
  /** It ended by itself: what it had in hand is lost, and no batch is prepared any more. */
  onLost: (error: Error) => void;
}

/**
 * Prepares batches in a thread of its own. Nothing of a batch outlives its release there, so a process that is killed loses
 * nothing by it; if the thread alone ends (out of memory, say) `onLost` has to end the process, as if the batch had been
 * prepared here: only so can guard/guard-batch.ts tell which record does it.
 */
export class PreparationThread {
  readonly #worker: Worker;
  /** No Map, see LiveList: each waits for all that a batch is made of. */
  readonly #waiting: Waiting[] = [];
  #questions = 0;
  #batches = 0;
  #isClosed = false;

  private constructor(private readonly options: ThreadOptions) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
    this.#worker = new Worker(options.url, { workerData: options.config, resourceLimits });
  }

  /** @returns once it answers, and how many files of places and networks it could not open */
  static async start(options: ThreadOptions): Promise<{ thread: PreparationThread; broken: number }> {
    const thread = new PreparationThread(options);
    const broken = await new Promise<number>((resolve, reject) => {
      thread.#worker.once('message', ({ ready }: FromThread & { ready: { broken: number } }) => resolve(ready.broken));
      thread.#worker.once('error', reject);
      thread.#worker.once('exit', (code) => reject(ended(code)));
    });
    thread.#listen();
    return { thread, broken };
  }

  readonly prepare: PrepareRecords = async (values) => {
    const batch = (this.#batches += 1);
    const packed = packValues(values);
    const memory = [packed.bytes.buffer, packed.lengths.buffer];
    const { prepared, failures, ...records } = await this.#ask({ kind: 'prepare', batch, packed }, memory);
    if (failures > 0) this.options.onLookupFailures(failures);
    if (records.indexes.length + records.refused.length !== values.length) {
      this.#tell({ release: batch });
      throw new AppError('preparation-incomplete', `${values.length} records, but not as many were prepared`);
    }
    return {
      ...records,
      visits: {
        prepared,
        pick: (which) => this.#ask({ kind: 'pick', batch, which }),
        foldHours: (foldedFrom) => this.#ask({ kind: 'fold', batch, foldedFrom }),
      },
      release: () => this.#tell({ release: batch }),
    };
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
  }

  #listen(): void {
    this.#worker.on('message', (message: FromThread) => {
      if ('ready' in message) return;
      const waiting = takeFirst(this.#waiting, ({ id }) => id === message.id);
      if ('error' in message) waiting?.reject(message.error);
      else waiting?.resolve(message.answer as never);
    });
    this.#worker.on('error', (error: Error) => this.#lost(error));
    this.#worker.on('exit', (code) => this.#lost(ended(code)));
  }

  #lost(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.options.onLost(error);
  }

  #ask<Kind extends keyof Answers>(
    question: Question & { kind: Kind },
    memory: ArrayBuffer[] = [],
  ): Promise<Answers[Kind]> {
    const id = (this.#questions += 1);
    return new Promise<Answers[Kind]>((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      this.#tell({ id, question }, memory);
    });
  }

  #tell(message: ToThread, memory: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, memory);
  }
}

function ended(code: number): Error {
  return new Error(`the thread that prepares visits ended with ${code}`);
}
