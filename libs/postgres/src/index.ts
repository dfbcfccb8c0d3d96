export * from './array-literal.js';
export * from './database.js';
export { earlierWritersEnded } from './earlier-writers.js';
export { DomainEntity, GroupEntity, TagEntity } from './entities/index.js';
export { hashKeyHealth, hashKeyMismatch, keepHashKeys } from './hash-key-setting.js';
export { loadSql } from './load-sql.js';
export * from './postgres.errors.js';
export { type LockRetries, withLockRetries } from './with-lock-retries.js';
