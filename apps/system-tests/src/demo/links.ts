import type { ShortUrl } from '@hopcount/contracts';

import type { LinksApi } from '../harness/links.js';

const LINKS = [
  { longUrl: 'https://kafka.apache.org/documentation/', title: 'Kafka documentation', tags: ['docs'] },
  { longUrl: 'https://www.postgresql.org/docs/current/', title: 'PostgreSQL manual', tags: ['docs'] },
  { longUrl: 'https://nodejs.org/en/learn', title: 'Learn Node.js', tags: ['docs', 'node'] },
  { longUrl: 'https://www.rfc-editor.org/rfc/rfc9562', title: 'UUIDs (RFC 9562)', tags: ['standards'] },
  { longUrl: 'https://www.rfc-editor.org/rfc/rfc9457', title: 'Problem details (RFC 9457)', tags: ['standards'] },
];

/** New links each time, so that the numbers shown are this run's alone. */
export async function createDemoLinks(api: LinksApi): Promise<ShortUrl[]> {
  const links: ShortUrl[] = [];
  for (const link of LINKS) links.push(await api.create({ ...link, tags: [...link.tags, 'demo'] }));
  return links;
}
