import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AnswerWriter } from '../redirect/answer-writer.js';
import { PAGES } from '../redirect/pages.js';
import type { RequestOrigin } from '../redirect/request-origin.js';
import type { RedirectLimiter } from './redirect-limiter.js';

interface Parts {
  limiter: RedirectLimiter | undefined;
  origin: RequestOrigin;
  answers: Pick<AnswerWriter, 'page'>;
}

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The handler itself while nothing is limited: then it costs nothing. */
export function limitRequests(handle: NodeHandler, { limiter, origin, answers }: Parts): NodeHandler {
  if (limiter === undefined) return handle;
  return (request, response) => {
    const client = origin.address(request);
    if (client === undefined) return handle(request, response);
    void limiter.refusalOf(client).then((refusal) => {
      if (refusal === undefined) handle(request, response);
      else answers.page(request, response, PAGES.tooMany, refusal);
    });
  };
}
