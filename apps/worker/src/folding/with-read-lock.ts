import type { LinkLocks } from '@hopcount/redis';

const LOCK_WAIT_MS = 2_000;
const LOCK_LEASE_MS = 30_000;

/** The fold is right without the lock (its checksum says so); with it, maintenance is spared a wait. */
export function createWithReadLock(locks: Pick<LinkLocks, 'acquireRead'>) {
  return async function withReadLock(linkIds: string[], work: () => Promise<void>): Promise<void> {
    const lease = await locks.acquireRead(linkIds, { waitMs: LOCK_WAIT_MS, leaseMs: LOCK_LEASE_MS });
    try {
      await work();
    } finally {
      await lease.release();
    }
  };
}
