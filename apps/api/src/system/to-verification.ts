import type { Verification } from '@hopcount/contracts';
import type { VerificationRequests } from '@hopcount/ledger';

type Request = Awaited<ReturnType<VerificationRequests['list']>>[number];

export function toVerification({ startedAt, endedAt, ...request }: Request): Verification {
  return { ...request, startedAt: startedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null };
}
