import { once } from 'node:events';
import type { Readable } from 'node:stream';

import type { FastifyReply, FastifyRequest } from 'fastify';

import { clientGone } from '../http/client-gone.js';
import { type FileFormat, sentType } from '../http/file-types.js';
import { Places } from '../limits/places.js';

/** Each keeps PostgreSQL busy for as long as its client takes. */
const MOST_AT_ONCE = { ofAll: 2, ofOne: 1 };

/** Of links and of visits, together: of an API key or a user one at a time. */
export class RunningExports {
  readonly #places = new Places(MOST_AT_ONCE, 'too-many-exports');

  /** @throws AppError `too-many-exports`; what fails before the first line */
  async send(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    { name, format }: { name: string; format: FileFormat },
    open: (stop: AbortSignal) => Readable | Promise<Readable>,
  ): Promise<void> {
    if (request.method === 'HEAD') return void reply.header('content-type', sentType(format)).send();
    if (request.identity === undefined) throw new Error('nobody was identified');
    const leave = this.#places.enter(request.identity);
    const gone = clientGone(reply);
    const lines = await this.#open(open, gone, leave);
    if (lines === undefined) return;
    // Who has all of it may ask for the next one before a file of it is gone.
    lines.once('end', leave).once('close', leave);
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
    leave: () => void,
  ): Promise<Readable | undefined> {
    try {
      const lines = await open(stop);
      if (!stop.aborted) return lines;
      lines.destroy();
    } catch (error) {
      if (!stop.aborted) {
        leave();
        throw error;
      }
    }
    leave();
    return undefined;
  }
}

/** Of the audit log: readers of links and visits take none of its places. */
export class RunningAuditExports extends RunningExports {}
