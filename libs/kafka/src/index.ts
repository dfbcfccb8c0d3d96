export * from './admin/kafka-admin.js';
export * from './batch/batch-context.js';
export * from './batch/kafka-batch-strategy.js';
export * from './batch/keep-error.filter.js';
export * from './dead-letters/dead-letter-writer.js';
export * from './kafka.errors.js';
export * from './kafka.metrics.js';
export * from './records.js';
