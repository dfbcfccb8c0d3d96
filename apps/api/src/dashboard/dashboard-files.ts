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
/** As `deploy/local/build.mjs` leaves it, seen from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL('../../../dashboard/dist/web', import.meta.url));

export interface DashboardFile {
  /** In the folder, with `/`. */
  path: string;
  type: string;
  isText: boolean;
  etag: string;
  body: Buffer;
  /** Made once it is asked for. */
  gzipped?: Promise<Buffer>;
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
    return [{ path, type, isText: /text|json|svg/.test(type), etag, body }];
  });
  return new Map(files.map((file) => [file.path, file]));
}
