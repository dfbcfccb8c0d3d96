export * from './event-id.js';
export * from './problems.js';
export * from './short-url.js';
export * from './stack-file.js';
export * from './statistics.js';
export * from './topics.js';
export * from './visit-class.js';
export * from './visit-event.js';
