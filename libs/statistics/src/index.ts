export * from './commit/checkpoint.js';
export * from './commit/enriched-visit.js';
export * from './commit/partition-checkpoints.js';
export * from './commit/visit-committer.js';
