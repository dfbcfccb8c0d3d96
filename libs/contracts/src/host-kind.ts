/**
 * By which host visits are counted: the one they were sent to, the one of their referrer, the one that was asked; `fed`: counts from elsewhere.
 * The position in this list is the number stored in PostgreSQL: append only, never reorder.
 */
export const HOST_KINDS = ['target', 'referrer', 'short', 'fed'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** Names of what is no host: none could be read, there was no referrer, and names beyond those a parent may have. */
export const UNKNOWN_HOST = '~unknown';
export const DIRECT_HOST = '~direct';
export const REST_HOST = '~rest';
