import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Asker, Identities, type Identity, reachFor, type ShareIdentity } from '@hopcount/identities';
import { type Actor, AppError, isAppError, onlyAsk, type Reach } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

import { RequestLimits } from '../limits/request-limits.js';
import { expectOwnPage } from '../session/same-origin.js';
import { sessionTokenOf } from '../session/session-cookie.js';
import { Settings } from '../settings.js';
import { expectShared, SHARE_HEADER } from '../statistics/share-links/shared-view.js';
import { normalizeQuery, parseInput, parseQuery } from './input.js';
import { hasLines } from './lines-body.js';
import { changesNothing, type OperationDescription, operationOf, type RoutedOperation } from './operation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who was found to ask; absent before that, and on public operations. */
    asker?: Asker;
    /** As whom it changes things; absent where it only asks. */
    actor?: Actor;
    /** Who asks, with a key or signed in; absent on public operations, and of whoever has a link to a view. */
    identity?: Identity;
    /** What they reach, where the operation asks for a scope. */
    reach?: Reach | undefined;
    /** Of an operation that takes a file: asks again who sends it, once all of it has been read. */
    expectSameReach?: () => Promise<void>;
  }
}

const NOTHING = z.strictObject({});
const WRONG_SECRETS = ['invalid-api-key', 'signed-out', 'share-link-ended'] as const;

/** Makes a request what its operation describes, or refuses it: first who asks, then what is asked. */
@Injectable()
export class OperationGuard implements CanActivate {
  constructor(
    private readonly identities: Identities,
    private readonly limits: RequestLimits,
    private readonly settings: Settings,
  ) {}

  /**
   * @throws AppError `missing-authentication`, `invalid-api-key`, `signed-out`, `share-link-ended`, `cross-site-request`, `too-many-requests`,
   * `missing-scope` or `invalid-data`
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const operation = operationOf(context.getHandler());
    if (operation === undefined) throw new Error('a route without @Operation');
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const isQuestion = changesNothing(operation);
    if (isQuestion) onlyAsk();
    // At once: a socket that is closed says no address any more.
    const address = isQuestion ? null : (this.limits.addressOf(request) ?? null);
    const asker = await this.identify(request, reply, operation);
    if (operation.scope !== 'public' && asker !== undefined) {
      await this.limits.admit(request, reply, operation, asker);
      const { scope } = operation;
      const reach = (request.reach = expectScope(asker, scope));
      if (operation.takesFile !== undefined) {
        request.expectSameReach = async () => {
          const now = await this.identify(request, reply, operation);
          expectSame(reach, now && expectScope(now, scope));
        };
      }
      if (asker.kind !== 'share') request.identity = asker;
      else expectShared(asker.view, request);
    }
    if (!isQuestion) request.actor = { ...whoIs(asker), address, operation: operation.id, requestId: request.id };
    parseRequest(request, operation);
    // The address says what its tag was called when it was shared, and its group perhaps in another spelling.
    if (asker?.kind === 'share')
      request.query = { ...(request.query as object), tag: asker.tag, group: asker.view.group };
    return true;
  }

  /**
   * Before the body of a request is read, where it has one, and again by {@link canActivate}: a slow body can arrive after its
   * key was revoked or a role was taken away.
   * @returns undefined on public operations
   * @throws AppError `missing-authentication`, `invalid-api-key`, `signed-out`, `share-link-ended`, `cross-site-request`,
   * `too-many-requests`
   */
  async identify(request: FastifyRequest, reply: FastifyReply, operation: RoutedOperation): Promise<Asker | undefined> {
    if (operation.scope === 'public') return undefined;
    request.asker = await this.#identify(request, reply, operation).catch(async (error: unknown) => {
      if (WRONG_SECRETS.some((code) => isAppError(error, code))) await this.limits.noteFailedKey(request, reply);
      throw error;
    });
    return request.asker;
  }

  /**
   * A key counts more than a cookie, which a browser sends along by itself. A flood of guesses costs few look-ups; what was found
   * here before is looked for whatever others at the address guess.
   */
  async #identify(request: FastifyRequest, reply: FastifyReply, operation: RoutedOperation): Promise<Asker> {
    const beforeNew = () => this.limits.admitNewSecret(request, reply);
    const share = request.headers[SHARE_HEADER];
    if (operation.takesShareLink === true && typeof share === 'string' && share !== '') {
      return this.#findShared(share, beforeNew);
    }
    const inQuery = operation.takesKeyInQuery === true ? normalizeQuery(request.query)['apiKey'] : undefined;
    const key = request.headers['x-api-key'] ?? inQuery;
    const session = sessionTokenOf(request);
    if (typeof key === 'string' && key !== '') {
      const mayBeAway = operation.goesOnInOutage === true;
      const identity = await this.identities.ofKey(key, { mayBeAway, beforeNew });
      if (identity !== undefined) return identity;
      throw new AppError('invalid-api-key', 'The API key is unknown, disabled, expired or revoked.');
    }
    if (session === undefined) throw nobody(operation);
    if (!changesNothing(operation)) expectOwnPage(request.headers, this.settings.apiOrigin);
    const identity = await this.identities.ofSession(session, { beforeNew });
    if (identity !== undefined) return identity;
    throw new AppError('signed-out', 'The session has ended: sign in again.');
  }

  /** Expired, revoked, of somebody who may not share it any more, and never made: the same answer after the same work. */
  async #findShared(token: string, beforeNew: () => Promise<void>): Promise<ShareIdentity> {
    const identity = await this.identities.ofShareLink(token, { beforeNew });
    if (identity !== undefined) return identity;
    throw new AppError('share-link-ended', 'This link has ended, was revoked, or never was one: ask for another.');
  }
}

/** For the audit log. Who takes an invite, or signs in, is nobody yet. */
function whoIs(asker: Asker | undefined): Pick<Actor, 'kind' | 'id' | 'name'> {
  if (asker === undefined) return { kind: 'user', id: null, name: '(not signed in)' };
  const { kind, id, name } = asker;
  // Whoever has the link has no account, and changes nothing.
  if (kind === 'share') return { kind: 'user', id: null, name: `(share link ${name})` };
  return { kind: kind === 'key' ? 'api-key' : 'user', id: String(id), name };
}

function nobody({ takesKeyInQuery }: OperationDescription): AppError {
  return takesKeyInQuery === true
    ? new AppError('missing-authentication', 'Send an API key as the query parameter apiKey.', {
        details: { param: 'apiKey' },
      })
    : new AppError('missing-authentication', 'Send an API key in the X-Api-Key header.', {
        details: { expectedHeaders: ['X-Api-Key'] },
      });
}

/** What is reached. */
function expectScope(identity: Asker, scope: Exclude<OperationDescription['scope'], 'public'>): Reach | undefined {
  if (scope === 'user') {
    if (identity.kind === 'user') return undefined;
    throw new AppError('missing-scope', 'A session is asked for: API keys have none.', { details: { scope } });
  }
  const reach = reachFor(identity, scope);
  if (reach !== undefined) return reach;
  const who = identity.kind === 'user' ? 'Your role' : 'This API key';
  throw new AppError('missing-scope', `${who} lacks the scope ${scope}.`, { details: { scope } });
}

/** @throws AppError `beyond-role` */
function expectSame(before: Reach | undefined, now: Reach | undefined): void {
  if (before !== undefined && now?.equals(before) === true) return;
  throw new AppError('beyond-role', 'Your role changed while the file was sent. Send the file again.');
}

/**
 * What an operation does not know is refused, too: a filter that is ignored answers something else. An empty body, or {}, says
 * nothing. Health checks come with whatever their monitor adds.
 */
function parseRequest(request: FastifyRequest, operation: OperationDescription): void {
  const { query = NOTHING, body = NOTHING, takesFile, takesLines, isHidden = false } = operation;
  if (!isHidden) request.query = parseQuery(query, request.query);
  if (takesFile === undefined && !(takesLines === true && hasLines(request)))
    request.body = parseInput(body, request.body === undefined ? {} : request.body);
}
