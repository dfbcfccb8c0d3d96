import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type ApiKeyIdentity, ApiKeys } from '@hopcount/identities';
import { AppError, isAppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { RequestLimits } from '../limits/request-limits.js';
import { normalizeQuery, parseInput, parseQuery } from './input.js';
import { type OperationDescription, operationOf } from './operation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose API key it is; absent on public operations. */
    identity?: ApiKeyIdentity;
  }
}

const NO_QUERY = z.strictObject({});

/** Makes a request what its operation describes, or refuses it: first who asks, then what is asked. */
@Injectable()
export class OperationGuard implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly limits: RequestLimits,
  ) {}

  /** @throws AppError `missing-authentication`, `invalid-api-key`, `too-many-requests`, `missing-scope` or `invalid-data` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const operation = operationOf(context.getHandler());
    if (operation === undefined) throw new Error('a route without @Operation');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    if (operation.scope !== 'public') {
      request.identity = await this.#identify(request, operation).catch(async (error: unknown) => {
        if (isAppError(error, 'invalid-api-key')) await this.limits.noteFailedKey(request, reply);
        throw error;
      });
      await this.limits.admit(request, reply, operation, request.identity);
      expectScope(request.identity, operation.scope);
    }
    parseRequest(request, operation);
    return true;
  }

  async #identify(request: FastifyRequest, { takesKeyInQuery }: OperationDescription): Promise<ApiKeyIdentity> {
    const inQuery = takesKeyInQuery === true ? normalizeQuery(request.query)['apiKey'] : undefined;
    const key = request.headers['x-api-key'] ?? inQuery;
    if (typeof key !== 'string' || key === '') {
      throw takesKeyInQuery === true
        ? new AppError('missing-authentication', 'Send an API key as the query parameter apiKey.', {
            details: { param: 'apiKey' },
          })
        : new AppError('missing-authentication', 'Send an API key in the X-Api-Key header.', {
            details: { expectedHeaders: ['X-Api-Key'] },
          });
    }
    const identity = await this.apiKeys.verify(key);
    if (identity === undefined) {
      throw new AppError('invalid-api-key', 'The API key is unknown, disabled, expired or revoked.');
    }
    return identity;
  }
}

function expectScope({ scopes }: ApiKeyIdentity, needed: ApiKeyIdentity['scopes'][number]): void {
  if (scopes.includes(needed) || scopes.includes('admin')) return;
  throw new AppError('missing-scope', `This API key lacks the scope ${needed}.`, { details: { scope: needed } });
}

/** A parameter that an operation does not know is refused, too: a filter that is ignored answers something else. */
function parseRequest(request: FastifyRequest, { scope, query, body }: OperationDescription): void {
  if (body !== undefined) request.body = parseInput(body, request.body ?? {});
  if (query !== undefined || scope !== 'public') request.query = parseQuery(query ?? NO_QUERY, request.query);
}
