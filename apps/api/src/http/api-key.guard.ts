import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiKeys } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

const PUBLIC = 'hopcount:public';

/** The route needs no API key. Everything without this mark does. */
export const Public = () => SetMetadata(PUBLIC, true);

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly reflector: Reflector,
  ) {}

  /** @throws AppError `missing-authentication` or `invalid-api-key` */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') {
      throw new AppError('missing-authentication', 'Send an API key in the X-Api-Key header.', {
        details: { expectedHeaders: ['X-Api-Key'] },
      });
    }
    if ((await this.apiKeys.verify(key)) === undefined) {
      throw new AppError('invalid-api-key', 'The API key is unknown, disabled or expired.');
    }
    return true;
  }
}
