import { isBlank, type VisitEventV1 } from '@hopcount/contracts';
import { decodeFormValue, MAX_PARAMETERS } from '@hopcount/links';

const NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
type UtmName = (typeof NAMES)[number];

type Keep = (name: UtmName, value: string) => string;

/** What decides the campaign of a visit. */
interface Campaigns {
  /** Raw, without its `?`. */
  query: string;
  /** Where the visitor is sent; empty: nowhere, as with a pixel. */
  destination: string;
  longUrl: string;
}

/**
 * The campaign of a visit: what the visitor brings, else what the address they are sent to says, else what the link's own target says
 * (rules and splits send elsewhere, a pixel nowhere). One of them as a whole: parts of two campaigns would be a third. Null when
 * none says anything.
 */
export function campaignOf({ query, destination, longUrl }: Campaigns, keep: Keep): VisitEventV1['utm'] {
  return (
    utmFields(query, keep) ??
    utmFields(queryOf(destination), keep) ??
    (destination === longUrl ? null : utmFields(queryOf(longUrl), keep))
  );
}

function queryOf(address: string): string {
  if (!address.includes('utm_')) return '';
  const [beforeFragment = ''] = address.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  return mark === -1 ? '' : beforeFragment.slice(mark + 1);
}

/**
 * The five utm_ parameters of a raw query string, the first of each name that is not blank; null when there is none.
 * `keep` cuts a value to its limit. Text that is no valid percent-encoding is kept as it stands.
 */
export function utmFields(query: string, keep: Keep): VisitEventV1['utm'] {
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
    const value = decodeFormValue(parameter.slice(equals + 1));
    if (isBlank(value)) continue;
    utm[name] = keep(name, value);
    found = true;
  }
  return found ? utm : null;
}
