import type { ProviderFlow, Sealer } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { cookieOf, COOKIE_RULES } from './session-cookie.js';

/** One attempt of a browser: another one replaces it. */
const COOKIE = '__Host-hopcount-oidc';
const SECONDS = 600;
/** Of nobody yet. */
const NOBODY = 0;

interface Kept extends ProviderFlow {
  returnTo: string;
  endsAtMs: number;
}

/**
 * What a browser takes along to the provider, in a cookie that only the api can write and read: who comes back with another
 * browser's answer, too late or twice is refused, and nothing is kept here of those who never come back.
 */
export class ProviderFlows {
  constructor(private readonly sealer: Sealer) {}

  keep(reply: FastifyReply, flow: ProviderFlow, returnTo: string): void {
    const kept: Kept = { ...flow, returnTo, endsAtMs: Date.now() + SECONDS * 1_000 };
    const sealed = this.sealer.seal(Buffer.from(JSON.stringify(kept)), NOBODY).toString('base64url');
    void reply.header('set-cookie', `${COOKIE}=${sealed}; Max-Age=${SECONDS}; ${COOKIE_RULES}`);
  }

  /** It is gone afterwards. @throws AppError `provider-sign-in-failed` */
  take(request: FastifyRequest, reply: FastifyReply): { flow: ProviderFlow; returnTo: string } {
    void reply.header('set-cookie', `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}`);
    const sealed = Buffer.from(cookieOf(request, COOKIE) ?? '', 'base64url');
    const opened = this.sealer.open(sealed, NOBODY);
    const kept = opened && (JSON.parse(opened.content.toString()) as Kept);
    if (kept === undefined || kept.endsAtMs < Date.now()) {
      const message = `This browser did not begin to sign in here, or more than ${SECONDS / 60} minutes ago. Sign in again.`;
      throw new AppError('provider-sign-in-failed', message);
    }
    const { returnTo, state, nonce, verifier } = kept;
    return { flow: { state, nonce, verifier }, returnTo };
  }
}
