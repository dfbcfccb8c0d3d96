/**
 * Codes of this library. Only writers of the link lock ever throw; everything on the visit's path
 * answers in place of an error, because no count may depend on Redis.
 */
export const REDIS_ERRORS = {
  /** acquireWrite: other holders did not leave within waitMs; try again later. */
  'lock-timeout': 'the link lock was not free in time',
  /** acquireWrite: Redis cannot be asked; try again later. */
  'lock-unavailable': 'Redis is away, so the link lock cannot be taken',
  /** Reason of an aborted lease signal: the lease ran out or its entry is gone (FLUSHALL, failover). */
  'lock-lost': 'the lock is no longer held',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof REDIS_ERRORS, string> {}
}
