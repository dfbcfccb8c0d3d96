import { type Browser, SESSION_SECONDS } from '@hopcount/identities';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `__Host-`: browsers take it from https (and localhost) only, for this host and all of its paths. */
export const SESSION_COOKIE = '__Host-hopcount';
/** Of every cookie of ours. */
export const COOKIE_RULES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** What the session cookie of a request holds; undefined without one. */
export function sessionTokenOf(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  return cookieOf(request, SESSION_COOKIE);
}

export function browserOf(request: Pick<FastifyRequest, 'headers'>): Browser {
  return { session: sessionTokenOf(request), userAgent: request.headers['user-agent'] ?? null };
}

export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, wanted: string): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (name === wanted && value !== '') return value;
  }
  return undefined;
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  void reply.header('set-cookie', `${SESSION_COOKIE}=${token}; Max-Age=${SESSION_SECONDS}; ${COOKIE_RULES}`);
  void reply.header('cache-control', 'no-store');
}

export function dropSessionCookie(reply: FastifyReply): void {
  void reply.header('set-cookie', `${SESSION_COOKIE}=; Max-Age=0; ${COOKIE_RULES}`);
}
