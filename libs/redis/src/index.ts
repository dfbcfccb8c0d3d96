export { type ClaimOutcome, VisitClaims, type VisitClaimsOptions } from './claims/visit-claims.js';
export {
  createRedis,
  isRedisAvailable,
  type RedisClient,
  type RedisOptions,
  waitForRedis,
} from './client/create-redis.js';
export { JobLock, type JobOutcome } from './locks/job-lock.js';
export { type LinkLease, LinkLocks, type LinkLockOptions, type LinkReadLease } from './locks/link-locks.js';
export * from './redis.errors.js';
export * from './redis.metrics.js';
