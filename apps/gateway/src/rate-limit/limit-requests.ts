import type { RedirectRequest, RedirectResponse } from '../front/exchange.js';
import type { AnswerWriter } from '../redirect/answer-writer.js';
import { PAGES } from '../redirect/pages.js';
import type { RequestOrigin } from '../redirect/request-origin.js';
import type { RedirectLimiter } from './redirect-limiter.js';

interface Parts {
  limiter: RedirectLimiter;
  origin: RequestOrigin;
  answers: Pick<AnswerWriter, 'page'>;
}

/** While nothing is limited it costs a look at that. */
export function limitRequests<Request extends RedirectRequest, Response extends RedirectResponse>(
  handle: (request: Request, response: Response) => void,
  { limiter, origin, answers }: Parts,
): typeof handle {
  return (request, response) => {
    const client = limiter.isOn ? origin.address(request) : undefined;
    if (client === undefined) return handle(request, response);
    void limiter.refusalOf(client).then((refusal) => {
      if (refusal === undefined) handle(request, response);
      else answers.page(request, response, PAGES.tooMany, refusal);
    });
  };
}
