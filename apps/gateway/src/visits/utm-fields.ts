import type { VisitEventV1 } from '@hopcount/contracts';
import { decodeFormValue, MAX_PARAMETERS } from '@hopcount/links';

const NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
type UtmName = (typeof NAMES)[number];

/**
 * The five utm_ parameters of a raw query string, the first of each name; null when there is none.
 * `keep` cuts a value to its limit. Text that is no valid percent-encoding is kept as it stands.
 */
export function utmFields(query: string, keep: (name: UtmName, value: string) => string): VisitEventV1['utm'] {
  if (!query.includes('utm_')) return null;
  const utm = { source: null, medium: null, campaign: null, term: null, content: null } as Record<
    UtmName,
    string | null
  >;
  let found = false;
  for (const parameter of query.split('&', MAX_PARAMETERS)) {
    const equals = parameter.indexOf('=');
    if (equals <= 0 || !parameter.startsWith('utm_')) continue;
    const name = NAMES.find((candidate) => parameter.slice(4, equals) === candidate);
    if (name === undefined || utm[name] !== null) continue;
    utm[name] = keep(name, decodeFormValue(parameter.slice(equals + 1)));
    found = true;
  }
  return found ? utm : null;
}
