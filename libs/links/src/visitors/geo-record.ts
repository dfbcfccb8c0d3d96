export interface GeoRecord {
  /** ISO 3166-1 alpha-2. */
  country?: string | undefined;
  region?: string | undefined;
  city?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
}

const LONGEST_NAME = 128;
// Codes no country has: user-assigned ones (but XK, which Kosovo uses) and what providers put for
// "proxy", "Tor" and "satellite", which carry a digit.
const NO_COUNTRY = /^(?:AA|Q[M-Z]|X[A-JL-Z]|ZZ|EU|AP)$/;

type Fields = Record<string, unknown>;

/**
 * A record of dbip-city as ip-location-db packs it (flat: `country_code`, `state1`, `city`,
 * `latitude`) or of a MaxMind-style city file (nested: `country.iso_code`, `names.en`).
 */
export function readGeoRecord(record: unknown): GeoRecord {
  if (!isFields(record)) return {};
  const country = countryCode(record['country_code'] ?? field(record['country'], 'iso_code'));
  // Places without a country would mix the Springfields of the world.
  if (country === undefined) return {};
  const subdivisions = record['subdivisions'];
  const subdivision: unknown = Array.isArray(subdivisions) ? subdivisions[0] : undefined;
  const city = typeof record['city'] === 'string' ? record['city'] : englishName(record['city']);
  const latitude = coordinate(record['latitude'] ?? field(record['location'], 'latitude'), 90);
  const longitude = coordinate(record['longitude'] ?? field(record['location'], 'longitude'), 180);
  return {
    country,
    region: placeName(record['state1'] ?? englishName(subdivision)),
    city: placeName(city),
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
  };
}

function countryCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const code = value.toUpperCase();
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.test(code) ? code : undefined;
}

/** dbip names a city's quarter in brackets ("Midrand (Midridge Park)"); the city alone is what people count. */
function placeName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.replace(/\s*\(.*\)\s*$/, '').trim();
  return name === '' || name === '-' ? undefined : name.slice(0, LONGEST_NAME);
}

function englishName(value: unknown): unknown {
  return field(field(value, 'names'), 'en');
}

function coordinate(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof number === 'number' && Math.abs(number) <= limit ? number : undefined;
}

function field(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
