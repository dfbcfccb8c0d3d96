import { parseFilter } from '../view/view.js';

/** What is next told apart: countries, of one country its regions, of one region its cities. */
export function placesLevel(filters: readonly string[]): 'country' | 'region' | 'city' {
  const chosen = (dimension: string) =>
    filters.map(parseFilter).filter((filter) => filter?.dimension === dimension && !filter.isExcluded).length === 1;
  if (chosen('region') || chosen('city')) return 'city';
  return chosen('country') ? 'region' : 'country';
}
