import type { UserIdentity } from '@hopcount/identities';
import type { FastifyRequest } from 'fastify';

/** Who is signed in; there is somebody on operations of scope `user`. */
export function userOf({ identity }: FastifyRequest): UserIdentity {
  if (identity?.kind === 'user') return identity;
  throw new Error('nobody is signed in');
}
