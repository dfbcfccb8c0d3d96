import type { FastifyRequest } from 'fastify';

/** Whose name the audit of operators has. */
export function operatorOf({ identity }: FastifyRequest): string {
  return identity === undefined ? '?' : `${identity.kind} ${identity.name}`;
}
