export * from './mailer.js';
export * from './outbound.errors.js';
export * from './outbound-fetcher.js';
