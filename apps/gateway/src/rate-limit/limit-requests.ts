import type { IncomingMessage, ServerResponse } from 'node:http';

import type { GatewayTally } from '../gateway.metrics.js';
import { PAGES } from '../redirect/pages.js';
import type { RequestOrigin } from '../redirect/request-origin.js';
import type { RedirectLimiter } from './redirect-limiter.js';

interface Parts {
  limiter: RedirectLimiter | undefined;
  origin: RequestOrigin;
  tally: GatewayTally;
  health: { readonly isDraining: boolean };
}

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The handler itself while nothing is limited: then it costs nothing. */
export function limitRequests(handle: NodeHandler, { limiter, origin, tally, health }: Parts): NodeHandler {
  if (limiter === undefined) return handle;
  return (request, response) => {
    const client = origin.address(request);
    if (client === undefined) return handle(request, response);
    void limiter.refusalOf(client).then((refusal) => {
      if (refusal === undefined) return handle(request, response);
      const { status, headers, body } = PAGES.tooMany;
      response.writeHead(status, [...headers, ...refusal, ...(health.isDraining ? ['connection', 'close'] : [])]);
      response.end(request.method === 'HEAD' ? undefined : body);
      tally.answered(status);
    });
  };
}
