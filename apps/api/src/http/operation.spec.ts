import 'reflect-metadata';

import { Controller, type ExecutionContext, Get, Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { type ApiScope, deletedVisitsSchema } from '@hopcount/contracts';
import type { Identities } from '@hopcount/identities';
import { Reach } from '@hopcount/runtime';

import type { RequestLimits } from '../limits/request-limits.js';
import type { Settings } from '../settings.js';
import { findOperations } from './find-operations.js';
import { Operation } from './operation.js';
import { OperationGuard } from './operation.guard.js';

@Controller()
class PurgeController {
  @Operation('DELETE /rest/v3/things', {
    id: 'purgeThings',
    scope: 'visits:purge',
    tag: 'Visits',
    summary: 'Delete things',
    answer: deletedVisitsSchema,
  })
  purge(): Promise<{ deletedVisits: number }> {
    return Promise.resolve({ deletedVisits: 0 });
  }
}

@Controller()
class ForgetfulController {
  @Get('open-to-everyone')
  read(): string {
    return '';
  }
}

@Module({ controllers: [PurgeController] })
class DescribedModule {}

@Module({ imports: [DescribedModule], controllers: [ForgetfulController] })
class ForgetfulModule {}

describe('a route', () => {
  it('is found with its method and path', () => {
    expect(findOperations(DescribedModule)).toMatchObject([
      { method: 'DELETE', path: '/rest/v3/things', scope: 'visits:purge' },
    ]);
  });

  it('without @Operation does not start, in an imported module either', () => {
    @Module({ imports: [ForgetfulModule] })
    class ImportingModule {}
    expect(() => findOperations(ImportingModule)).toThrow('ForgetfulController.read is a route without @Operation.');
  });
});

describe('the scope of an operation', () => {
  const call = async (scopes: ApiScope[]) => {
    const identities = {
      ofKey: () => Promise.resolve({ kind: 'key', id: 1, name: 'test', scopes, reach: Reach.everything }),
    } as unknown as Identities;
    const request = { headers: { 'x-api-key': 'key' }, query: {}, identity: undefined };
    const context = {
      getHandler: () => Reflect.get(PurgeController.prototype, 'purge') as object,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({}) }),
    } as unknown as ExecutionContext;
    const limits = { admit: () => Promise.resolve(), addressOf: () => undefined } as unknown as RequestLimits;
    await new OperationGuard(identities, limits, {} as Settings).canActivate(context);
    return request.identity;
  };

  it.each<[ApiScope[]]>([[['visits:purge']], [['links:read', 'visits:purge']], [['admin']]])(
    'is granted to a key with %j, and the handler knows whose key it is',
    async (scopes) => {
      expect(await call(scopes)).toEqual({ kind: 'key', id: 1, name: 'test', scopes, reach: Reach.everything });
    },
  );

  it.each<[ApiScope[]]>([[[]], [['links:read', 'links:write', 'statistics:read']]])(
    'is refused to a key with %j',
    async (scopes) => {
      await expect(call(scopes)).rejects.toMatchObject({ code: 'missing-scope', details: { scope: 'visits:purge' } });
    },
  );
});
