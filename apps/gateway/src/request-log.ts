import type { Logger } from '@hopcount/runtime';

import type { Handle, RedirectRequest } from './front/exchange.js';

/** At level `debug` only: a line for each request for a short link, with the event id of the visit it became, if any. */
export class RequestLog {
  readonly #events = new WeakMap<RedirectRequest, string>();

  private constructor(private readonly logger: Logger) {}

  /** Undefined: nobody would see the lines. */
  static at(logger: Logger): RequestLog | undefined {
    return logger.isLevelEnabled('debug') ? new RequestLog(logger) : undefined;
  }

  around(handle: Handle): Handle {
    return (request, response) => {
      const startedMs = performance.now();
      response.once('close', () => {
        const durationMs = Math.round((performance.now() - startedMs) * 10) / 10;
        const isCut = !response.writableFinished;
        const { method } = request;
        const eventId = this.#events.get(request);
        // Neither code nor address: the event says what may be kept of them.
        this.logger.debug(
          { eventId, method, status: response.statusCode, durationMs, ...(isCut && { isCut }) },
          'request',
        );
      });
      handle(request, response);
    };
  }

  became(request: RedirectRequest, eventId: string): void {
    this.#events.set(request, eventId);
  }
}
