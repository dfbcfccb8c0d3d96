import { GEO_ATTRIBUTION } from '@hopcount/contracts';

/** What examples of the document ask about, and what their answers say of it. */
export const EXAMPLE_WEEK = { startDate: '2026-05-04', endDate: '2026-05-10', timeZone: 'Europe/Berlin' };
export const EXAMPLE_RANGE = { startDate: '2026-05-04T00:00:00+02:00', endDate: '2026-05-11T00:00:00+02:00' };
export const EXAMPLE_READ = {
  exact: true,
  inexact: [],
  keyRotations: [],
  readFrom: { days: 0, files: 0, ledgerHours: 168 },
};
export const EXAMPLE_FRESHNESS = {
  countedUpTo: '2026-05-11T08:00:00.061Z',
  pending: 0,
  uncounted: 0,
  attribution: GEO_ATTRIBUTION,
};
export const EXAMPLE_ANSWERED = { timeZone: 'Europe/Berlin', ...EXAMPLE_RANGE, ...EXAMPLE_READ, ...EXAMPLE_FRESHNESS };
