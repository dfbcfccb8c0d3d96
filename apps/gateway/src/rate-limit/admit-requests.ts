import type { Admission } from '@hopcount/runtime';

import type { RedirectRequest, RedirectResponse } from '../front/exchange.js';
import type { AnswerWriter } from '../redirect/answer-writer.js';
import { PAGES } from '../redirect/pages.js';
import { limitRequests } from './limit-requests.js';

type Parts = Parameters<typeof limitRequests>[1] & {
  admission: Pick<Admission, 'isInTime' | 'isBelowCeiling'>;
  answers: Pick<AnswerWriter, 'unread'>;
};

/** Before a link is looked for, or anything is kept of the request: what is refused here is no visit. */
export function admitRequests<Request extends RedirectRequest, Response extends RedirectResponse>(
  handle: (request: Request, response: Response) => void,
  parts: Parts,
): typeof handle {
  const { isInTime, isBelowCeiling } = parts.admission;
  const only = (admits: (() => boolean) | undefined, next: typeof handle): typeof handle => {
    if (admits === undefined) return next;
    return (request, response) => {
      if (admits()) next(request, response);
      else parts.answers.unread(request, response, PAGES.busy);
    };
  };
  return only(isInTime, limitRequests(only(isBelowCeiling, handle), parts));
}
