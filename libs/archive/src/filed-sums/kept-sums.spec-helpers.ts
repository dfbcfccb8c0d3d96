import { VISIT_CLASSES } from '@hopcount/contracts';
import { BUCKET_MS, type EnrichedVisit } from '@hopcount/ledger';
import type { Ledger } from '@hopcount/ledger/spec-helpers';

/** A visit and the group it was committed with; '': none. */
export type GroupedVisit = EnrichedVisit & { groupId: string };

type Sums = Record<string, string>;

/** What is kept of all visits together: each sum by what it is of, as number and XOR. */
export interface KeptSums {
  /** Of all links and domains. */
  scopes: Sums;
  groups: Sums;
  /** By bucket. */
  hosts: Sums;
  hostsOfAllTime: Sums;
  slots: Sums;
}

const SCOPES = `SELECT scope || ' ' || scope_id || ' ' || (extract(epoch FROM bucket) * 1000)::bigint || ' ' || class AS key,
    sum(visits) || ' ' || bit_xor(checksum) AS sum
  FROM scope_traffic WHERE (scope = 'group') = $1 GROUP BY scope, scope_id, bucket, class HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)`;
const HOSTS = `WITH booked AS (
    SELECT host_buckets.kind, name AS host, bucket, class, p - n AS visits, checksum
    FROM host_buckets JOIN hosts ON hosts.id = host_id
    UNION ALL
    SELECT change.kind, change.host, to_timestamp(change.cell / 90 * 900.0), change.class, change.p - change.n, change.checksum
    FROM host_changes, unnest(kinds, hosts, cells, classes, p, n, checksums) AS change (kind, host, cell, class, p, n, checksum)
    WHERE folded_at IS NULL
  )
  SELECT kind || ' ' || host || ' ' || (extract(epoch FROM bucket) * 1000)::bigint || ' ' || class AS key,
    sum(visits) || ' ' || bit_xor(checksum) AS sum
  FROM booked GROUP BY kind, host, bucket, class HAVING (sum(visits), bit_xor(checksum)) <> (0, 0)`;
const HOSTS_OF_ALL_TIME = `WITH booked AS (
    SELECT totals.kind, name AS host, p - n AS visits FROM host_totals AS totals JOIN hosts ON hosts.id = host_id
    UNION ALL
    SELECT change.kind, change.host, change.p - change.n
    FROM host_changes, unnest(kinds, hosts, p, n) AS change (kind, host, p, n) WHERE folded_at IS NULL
  )
  SELECT kind || ' ' || host AS key, sum(visits)::text AS sum FROM booked GROUP BY kind, host HAVING sum(visits) <> 0`;
const SLOTS = `SELECT link_id || ' ' || potential_bot AS key, sum(visits)::text AS sum FROM link_visit_slots
  GROUP BY link_id, potential_bot HAVING sum(visits) <> 0`;

export async function keptSums({ server }: Ledger): Promise<KeptSums> {
  const read = async (text: string, values: unknown[] = []): Promise<Sums> => {
    const rows = await server.query<{ key: string; sum: string }>(text, values);
    return Object.fromEntries(rows.map(({ key, sum }) => [key, sum]));
  };
  return {
    scopes: await read(SCOPES, [false]),
    groups: await read(SCOPES, [true]),
    hosts: await read(HOSTS),
    hostsOfAllTime: await read(HOSTS_OF_ALL_TIME),
    slots: await read(SLOTS),
  };
}

/** The same, counted the slow and obvious way. All links are of the only domain, number 1. */
export function expectedSums(visits: readonly GroupedVisit[]): KeptSums {
  const bucketed = (visit: GroupedVisit) =>
    `${visit.occurredAtMs - (visit.occurredAtMs % BUCKET_MS)} ${VISIT_CLASSES.indexOf(visit.class)}`;
  const isBot = ({ class: name }: GroupedVisit) => ['bot', 'preview', 'prefetch'].includes(name);
  const hostsOf = ({ targetHost, shortHost, referrerHost }: GroupedVisit) => [
    `0 ${nameOf(targetHost)}`,
    `1 ${referrerHost === 'direct' ? '~direct' : nameOf(referrerHost)}`,
    `2 ${nameOf(shortHost)}`,
  ];
  const numberOf = (sums: Sums) =>
    Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum.split(' ')[0]!]));
  return {
    scopes: sumBy(visits, (visit) => [`all  ${bucketed(visit)}`, `domain 1 ${bucketed(visit)}`]),
    groups: sumBy(visits, (visit) => [`group ${visit.groupId} ${bucketed(visit)}`]),
    hosts: sumBy(visits, (visit) => hostsOf(visit).map((host) => `${host} ${bucketed(visit)}`)),
    hostsOfAllTime: numberOf(sumBy(visits, hostsOf)),
    slots: numberOf(sumBy(visits, (visit) => [`${visit.linkId} ${isBot(visit)}`])),
  };
}

function sumBy(visits: readonly GroupedVisit[], keysOf: (visit: GroupedVisit) => string[]): Sums {
  const sums = new Map<string, { visits: number; checksum: bigint }>();
  for (const visit of visits) {
    const bits = BigInt.asUintN(62, BigInt(`0x${visit.eventId.replaceAll('-', '')}`));
    for (const key of keysOf(visit)) {
      const sum = sums.get(key) ?? { visits: 0, checksum: 0n };
      sums.set(key, { visits: sum.visits + 1, checksum: sum.checksum ^ bits });
    }
  }
  return Object.fromEntries([...sums].map(([key, sum]) => [key, `${sum.visits} ${sum.checksum}`]));
}

function nameOf(host: string): string {
  if (host === '' || host.startsWith('~')) return host === '' ? '~unknown' : host;
  if (/^[0-9.]+$/.test(host)) return `~ip.${host.replaceAll('.', '-')}`;
  return host.split('.').reverse().join('.');
}
