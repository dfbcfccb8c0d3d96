export { AddressBuckets } from './buckets/address-buckets.js';
export { LimitUse } from './buckets/limit-use.js';
export { LocalBuckets } from './buckets/local-buckets.js';
export { type NamedWithdrawal, shownLimits } from './buckets/shown-limits.js';
export { type BucketSize, TokenBuckets, type Withdrawal, type Withdrawn } from './buckets/token-buckets.js';
export { type ClaimOutcome, VisitClaims } from './claims/visit-claims.js';
export {
  availabilityOf,
  createRedis,
  isRedisAvailable,
  type RedisClient,
  type RedisOptions,
  waitForRedis,
  waitForUse,
} from './client/create-redis.js';
export { findUnevenNode, NodeLoadRatios, readNodeLoads, type UnevenNode } from './client/node-load.js';
export { RedisSubscription, type SubscriptionListener } from './client/redis-subscription.js';
export { type BloomFilter, BloomFilters } from './filters/bloom-filters.js';
export { defineScript, type Script } from './load-lua.js';
export { JobLock, type JobOutcome } from './locks/job-lock.js';
export { LinkLocks, type LinkReadLease } from './locks/link-locks.js';
export * from './redis.errors.js';
export * from './redis.metrics.js';
