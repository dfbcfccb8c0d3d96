import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { PrebuiltBody } from '@hopcount/runtime';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** How names of compressed files end that stand beside the others. */
const ENDINGS = { br: '.br', gzip: '.gz' };
/** As `deploy/local/build.mjs` leaves it, seen from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('../../../dashboard/dist/web', import.meta.url));

/** Names in there hold a hash of what is in the file. */
const HASHED = /^assets\//;

/** By path in the folder, with `/`. */
export type DashboardFiles = ReadonlyMap<string, PrebuiltBody>;

/** All of them, read once: a build that goes on meanwhile cannot mix two versions. Empty where it was not built. */
export function readDashboardFiles(folder = FOLDER): DashboardFiles {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const files = paths.flatMap((path): [string, PrebuiltBody][] => {
    const type = TYPES[extname(path)];
    const file = join(folder, path);
    if (type === undefined || !statSync(file).isFile()) return [];
    const made = Object.entries(ENDINGS).filter(([, ending]) => existsSync(file + ending));
    const compressed = Object.fromEntries(made.map(([coding, ending]) => [coding, readFileSync(file + ending)]));
    return [[path, dashboardFile(path, type, readFileSync(file), compressed)]];
  });
  return new Map(files);
}

/** @param compressed as far as the build made them */
export function dashboardFile(
  path: string,
  type: string,
  body: Buffer,
  compressed: Record<string, Buffer>,
): PrebuiltBody {
  const cacheControl = isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new PrebuiltBody(type, body, { cacheControl, compressed });
}

export function isHashed(path: string): boolean {
  return HASHED.test(path);
}
