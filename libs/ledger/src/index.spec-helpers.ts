/** What the specs of other projects need to write a ledger; resolvable in specs only (`@hopcount/source`). */
export * from './enriched-visit.spec-helpers.js';
export * from './ledger-history.spec-helpers.js';
export * from './ledger.spec-helpers.js';
