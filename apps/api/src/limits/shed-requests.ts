import { type Admission, AppError } from '@hopcount/runtime';
import type { FastifyInstance } from 'fastify';

import { API_ERRORS } from '../api.errors.js';
import { QUIET_ROUTES } from '../http/request-hooks.js';

/** Before the body is read and the key looked for; never of health. */
export function shedRequests(server: FastifyInstance, admission: Pick<Admission, 'isInTime'>): void {
  const { isInTime } = admission;
  if (isInTime === undefined) return;
  server.addHook('onRequest', ({ routeOptions }, _reply, next) => {
    if (QUIET_ROUTES.has(routeOptions.url ?? '') || isInTime()) next();
    else next(overloaded());
  });
}

export function overloaded(): AppError {
  return new AppError('overloaded', API_ERRORS.overloaded, { retryable: true });
}
