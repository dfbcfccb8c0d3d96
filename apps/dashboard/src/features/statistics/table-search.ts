import type { Scope } from './queries.js';

/** What the page of a whole table is asked with, besides what is asked here. */
export function searchOfTable({ shortCode: code, domain }: Scope) {
  return (before: Record<string, unknown>) => ({ ...before, page: undefined, code, domain });
}
