import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

export interface DashboardFile {
  /** In the folder, with `/`. */
  path: string;
  type: string;
  etag: string;
  body: Buffer;
  /** By content coding, as far as the build made them; the one that is preferred first. */
  compressed: ReadonlyMap<string, Buffer>;
}
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

/** All of them, read once: a build that goes on meanwhile cannot mix two versions. Empty where it was not built. */
export function readDashboardFiles(folder = FOLDER): DashboardFiles {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const files = paths.flatMap((path): DashboardFile[] => {
    const type = TYPES[extname(path)];
    const file = join(folder, path);
    if (type === undefined || !statSync(file).isFile()) return [];
    const body = readFileSync(file);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const made = Object.entries(ENDINGS).filter(([, ending]) => existsSync(file + ending));
    const compressed = new Map(made.map(([coding, ending]) => [coding, readFileSync(file + ending)]));
    return [{ path, type, etag, body, compressed }];
  });
  return new Map(files.map((file) => [file.path, file]));
}
