import type { VisitEventV1 } from '@hopcount/contracts';
import { preferredLanguages, queryParameters, type RuleFacts } from '@hopcount/links';
import type { DeviceFacts, Place } from '@hopcount/links/visitors';

import type { RequestHeaders } from '../front/exchange.js';
import { describeAgent, readWithinLimit } from '../visits/describe-agent.js';

/** How visitors are recognised; shared by all requests of a process. */
export interface VisitorSenses {
  identifyDevice(agent: Pick<VisitEventV1, 'userAgent' | 'clientHints'>): DeviceFacts;
  locate(address: string | null): Place;
}

/** What rules ask about one request. Each answer is found out when it is asked for. */
export class VisitorFacts implements RuleFacts {
  #device: DeviceFacts | undefined;
  #languages: ReadonlySet<string> | undefined;
  #parameters: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(
    private readonly senses: VisitorSenses,
    private readonly headers: RequestHeaders,
    private readonly query: string,
    readonly address: string | null,
    readonly nowMs: number,
    /** The same for each request of a visitor. */
    readonly visitorKey: () => string,
  ) {}

  /** Of what the visit says, too: statistics name the same device. */
  get device(): DeviceFacts {
    return (this.#device ??= this.senses.identifyDevice(describeAgent(this.headers, readWithinLimit)));
  }

  get place(): Place {
    return this.senses.locate(this.address);
  }

  /** Those the visitor prefers (q of 0.9 or more), in lower case, also without their region: `de-ch`, `de`. */
  get languages(): ReadonlySet<string> {
    return (this.#languages ??= preferredLanguages(this.headers['accept-language'] ?? ''));
  }

  /** Values of each parameter of the query, decoded; `''` of one without a value. */
  get parameters(): ReadonlyMap<string, readonly string[]> {
    return (this.#parameters ??= queryParameters(this.query));
  }
}
