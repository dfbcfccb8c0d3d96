import { type LocalTrace, readTraceparent, type Step, TRACE, type Tracing } from '@hopcount/runtime';

import type { Handle, RedirectRequest } from '../front/exchange.js';
import type { Durability } from '../visits/visit-publisher.js';

interface OpenTrace {
  root: LocalTrace;
  sending: Step | undefined;
}

/** Traces of requests for short links, from the request to the end of its answer. */
export class RequestTraces {
  readonly #open = new WeakMap<RedirectRequest, OpenTrace>();

  constructor(private readonly tracing: Pick<Tracing, 'start'>) {}

  around(handle: Handle): Handle {
    return (request, response) => {
      const parent = readTraceparent(request.headers['traceparent'] as string | undefined);
      const root = this.tracing.start('redirect', { kind: 'server', parent });
      this.#open.set(request, { root, sending: undefined });
      // Also when the visitor is gone before the answer.
      response.once('close', () => {
        root.set({ [TRACE.method]: request.method ?? '', [TRACE.status]: response.statusCode });
        if (response.statusCode >= 500) root.fail(String(response.statusCode));
        root.end();
      });
      handle(request, response);
    };
  }

  resolving(request: RedirectRequest): Step | undefined {
    return this.#open.get(request)?.root.step('resolve link');
  }

  /** Of a visit that is about to be made durable. @returns the header its record carries on, if it has one */
  sending(request: RedirectRequest, eventId: string): string | undefined {
    const open = this.#open.get(request);
    if (open === undefined) return undefined;
    open.root.nameAfter(eventId);
    open.root.set({ [TRACE.eventId]: eventId });
    open.sending = open.root.step('send visit', 'producer', { [TRACE.messaging]: 'kafka' });
    return open.root.headerOf(open.sending);
  }

  sent(request: RedirectRequest, outcome: Durability | Error): void {
    const sending = this.#open.get(request)?.sending;
    if (outcome instanceof Error) sending?.end({}, outcome.message);
    else sending?.end({ [TRACE.durability]: outcome });
  }
}
