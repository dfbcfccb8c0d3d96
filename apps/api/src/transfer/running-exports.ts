import { once } from 'node:events';
import type { Readable } from 'node:stream';

import { AppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { API_ERRORS } from '../api.errors.js';
import { clientGone } from '../http/client-gone.js';
import { type FileFormat, sentType } from '../http/file-types.js';

/** Each keeps PostgreSQL busy for as long as its client takes. */
const MOST_AT_ONCE = 2;

/** Of links and of visits, together. */
export class RunningExports {
  #running = 0;

  /** @throws AppError `too-many-exports`; what fails before the first line */
  async send(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    { name, format }: { name: string; format: FileFormat },
    open: (stop: AbortSignal) => Readable | Promise<Readable>,
  ): Promise<void> {
    if (request.method === 'HEAD') return void reply.header('content-type', sentType(format)).send();
    if (this.#running >= MOST_AT_ONCE) {
      throw new AppError('too-many-exports', API_ERRORS['too-many-exports'], { retryable: true });
    }
    this.#running += 1;
    const gone = clientGone(reply);
    const lines = await this.#open(open, gone);
    if (lines === undefined) return;
    lines.once('close', () => (this.#running -= 1));
    gone.addEventListener('abort', () => lines.destroy());
    // What fails before the first line is a problem like any other; a client may leave before it.
    await Promise.race([once(lines, 'readable'), once(lines, 'close')]);
    if (lines.destroyed) return;
    void reply
      .header('content-type', sentType(format))
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${name}.${format}"`);
    return void reply.send(lines);
  }

  /** @returns undefined: who asked left before there was anything to send */
  async #open(
    open: (stop: AbortSignal) => Readable | Promise<Readable>,
    stop: AbortSignal,
  ): Promise<Readable | undefined> {
    try {
      const lines = await open(stop);
      if (!stop.aborted) return lines;
      lines.destroy();
    } catch (error) {
      if (!stop.aborted) {
        this.#running -= 1;
        throw error;
      }
    }
    this.#running -= 1;
    return undefined;
  }
}
