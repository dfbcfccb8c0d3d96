import type { PoolClient } from 'pg';

import type { Corpus } from '../../harness/audience.js';

/** Visitors are of one of so many kinds: place, device, program. */
const PROFILES = 4_096;
const BOT_PERCENT = 12;

export interface MonthToFill {
  name: string;
  from: number;
  to: number;
  /** Number of its first visit among all. */
  first: number;
  count: number;
  totalVisits: number;
}

export interface LinksToVisit {
  firstId: bigint;
  /** So many drawn Zipf-like; the next two get every so many-th visit. */
  zipf: number;
  every: { middle: number; large: number };
}

/** Real user agents, made-up places: as many values of each as a site with visitors from everywhere has. */
export async function addProfiles(client: PoolClient, { browsers, bots }: Corpus): Promise<void> {
  await client.query('DROP TABLE IF EXISTS bench_profiles');
  await client.query('CREATE TABLE bench_profiles (LIKE visits)');
  await client.query('ALTER TABLE bench_profiles ADD COLUMN n integer PRIMARY KEY');
  for (const { attname } of (await client.query<{ attname: string }>(NOT_NULL_COLUMNS)).rows) {
    await client.query(`ALTER TABLE bench_profiles ALTER COLUMN ${attname} DROP NOT NULL`);
  }
  await client.query(ADD_PROFILES, [PROFILES, BOT_PERCENT, browsers, bots]);
  await client.query('ANALYZE bench_profiles');
}

const NOT_NULL_COLUMNS = `SELECT attname FROM pg_attribute
  WHERE attrelid = 'bench_profiles'::regclass AND attnum > 0 AND attnotnull AND attname <> 'n'`;

const ADD_PROFILES = `
  INSERT INTO bench_profiles (n, class, country, region, city, latitude, longitude, os, os_version, browser,
    browser_version, device, network, language, user_agent)
  SELECT n, is_bot::integer, countries[1 + country], 'Region ' || country * 10 + city % 10, 'City ' || country * 40 + city,
    country * 2.5 - 60 + city * 0.03, country * 5 - 150 + city * 0.07,
    (ARRAY['Windows', 'Android', 'iOS', 'macOS', 'Linux'])[1 + n % 5], (8 + n % 9)::text,
    (ARRAY['Chrome', 'Mobile Safari', 'Firefox', 'Edge', 'Samsung Internet', 'Opera'])[1 + n % 6],
    (100 + n % 45) || '.0.' || n % 7, (ARRAY['mobile', 'desktop', 'tablet'])[1 + n % 3], 'AS' || 1000 + n % 700,
    (ARRAY['en', 'de', 'fr', 'es', 'pt', 'ja', 'zh', 'sv', 'pl', 'unknown'])[1 + n % 10],
    CASE WHEN is_bot THEN ($4::text[])[1 + n % cardinality($4::text[])] ELSE ($3::text[])[1 + n % cardinality($3::text[])] END
  FROM (
    SELECT n, n % 100 < $2 AS is_bot, floor(60 * power((n * 7919 % 4093) / 4093.0, 2))::integer AS country, n * 104729 % 40 AS city
    FROM generate_series(0, $1::integer - 1) AS n
  ) AS one,
  (SELECT array_agg(chr(65 + c % 26) || chr(65 + c / 26) ORDER BY c) AS countries FROM generate_series(0, 59) AS c) AS names`;

/** In the order of time. The same rows again for the same number of visits. */
export async function fillMonth(client: PoolClient, month: MonthToFill, links: LinksToVisit): Promise<void> {
  await client.query('SELECT setseed($1)', [(month.first % 1_000_003) / 1_000_003]);
  await client.query(FILL_MONTH(month.name), [
    month.first,
    month.count,
    month.from,
    (month.to - month.from) / month.count,
    links.firstId.toString(),
    links.zipf,
    links.every.middle,
    links.every.large,
    Math.ceil(month.totalVisits * 0.4),
    PROFILES,
  ]);
}

/**
 * $1 number of the first visit, $2 how many, $3 instant of the first, $4 milliseconds between two, $5 id of the first link,
 * $6 links drawn Zipf-like, $7 and $8 every so many-th visit is one of the next two links, $9 visitors, $10 profiles.
 */
const FILL_MONTH = (name: string) => `
  INSERT INTO ${name} (occurred_at, event_id, link_id, visitor, ip, class, enrichment_version, latitude, longitude, client_ip,
    country, region, city, os, os_version, browser, browser_version, device, network, referrer_host, language, referrer,
    user_agent, destination, utm, source, target_host, short_host)
  SELECT to_timestamp(ms / 1000.0::float8),
    (lpad(to_hex(ms), 12, '0') || '7' || left(digits, 3) || substr('89ab', 1 + (visit.n & 3)::integer, 1) || substr(digits, 4, 15))::uuid,
    $5::bigint + link, hashint8extended(person, 1), hashint8extended(person / 2, 2), profile.class, 1, profile.latitude,
    profile.longitude, inet '16.0.0.0' + person / 2 % 900000 * 256, profile.country, profile.region, profile.city,
    profile.os, profile.os_version, profile.browser, profile.browser_version, profile.device, profile.network,
    CASE WHEN via < 4 THEN 'direct' WHEN via = 4 THEN 'blog' || visit.n % 5000 || '.example'
      ELSE 'site' || via || '.example' END,
    profile.language,
    CASE WHEN via < 4 THEN NULL WHEN via = 4 THEN 'https://blog' || visit.n % 5000 || '.example/posts/' || visit.n % 90001
      ELSE 'https://site' || via || '.example/' END,
    profile.user_agent, 'https://example.com/page/' || link,
    CASE WHEN visit.n % 4 = 0 THEN jsonb_build_object('source', (ARRAY['newsletter', 'search', 'partner'])[1 + visit.n % 3],
      'medium', 'email', 'campaign', 'campaign-' || visit.n % 200, 'term', NULL, 'content', NULL) END,
    'bench-gateway-' || (visit.n & 3), 'example.com', 's.bench'
  FROM (
    SELECT n, $3::bigint + floor((n - $1::bigint + random()) * $4::float8)::bigint AS ms, md5(n::text) AS digits,
      floor($9::float8 * power(random(), 2))::bigint AS person, floor(12 * random())::integer AS via,
      CASE WHEN n % $7::bigint = 0 THEN $6::bigint WHEN n % $8::bigint = 1 THEN $6::bigint + 1
        ELSE floor(power($6::float8, random()))::bigint - 1 END AS link
    FROM generate_series($1::bigint, $1::bigint + $2::bigint - 1) AS n
  ) AS visit
  JOIN bench_profiles AS profile ON profile.n = visit.person % $10::bigint`;

/** In the order of time, as consumers add them: the index by time is one of ranges. */
export const SUM_TRAFFIC = (name: string) => `
  INSERT INTO link_traffic (link_id, bucket, class, slot_id, visits, checksum)
  SELECT link_id, bucket, class, 0, count(*), bit_xor(event_checksum(event_id))
  FROM (
    SELECT link_id, date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00') AS bucket, class, event_id FROM ${name}
  ) AS visit
  GROUP BY link_id, bucket, class
  ORDER BY bucket, link_id, class`;

/** Of all links, of the one domain, and of no group; of those buckets. */
export const SUM_SCOPES = (condition: string) => `
  WITH sums AS MATERIALIZED (
    SELECT bucket, class, sum(visits) AS visits, bit_xor(checksum) AS checksum FROM link_traffic
    WHERE ${condition} GROUP BY bucket, class
  )
  INSERT INTO scope_traffic (scope, scope_id, bucket, class, slot_id, visits, checksum)
  SELECT scope, scope_id, bucket, class, 0, visits, checksum
  FROM sums CROSS JOIN (
    SELECT 'all' AS scope, '' AS scope_id UNION ALL SELECT 'group', '' UNION ALL SELECT 'domain', id::text FROM domains WHERE is_default
  ) AS scopes
  ORDER BY scope COLLATE "C", bucket, class`;
