export * from './commit/checkpoint.js';
export * from './commit/enriched-visit.js';
