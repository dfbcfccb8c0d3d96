// @ts-check
// Jest loads every module anew for each spec file: packages of hundreds of small files are joined, each once per version.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { build } from 'esbuild';

const CACHE = join(import.meta.dirname, 'node_modules/.cache/hopcount');
/** Another way to join them is another file. */
const HOW = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .digest('hex')
  .slice(0, 8);
const VENDORS = [
  { name: 'typeorm', pattern: '^typeorm$' },
  { name: 'rxjs', pattern: '^rxjs(/operators)?$' },
];

/** @returns {Promise<Record<string, string>>} for Jest's `moduleNameMapper` */
export async function joinedVendors() {
  const require = createRequire(import.meta.url);
  const entries = VENDORS.map(async ({ name, pattern }) => {
    const main = require.resolve(name);
    /** @type {{version: string}} */
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8'),
    );
    const target = join(CACHE, `${name}-${version}-${HOW}.cjs`);
    if (!existsSync(target)) await joinFiles(main, target);
    return /** @type {const} */ ([pattern, target]);
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * @param {string} main
 * @param {string} target
 */
async function joinFiles(main, target) {
  mkdirSync(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}`;
  await build({
    entryPoints: [main],
    outfile: aside,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    keepNames: true,
    logLevel: 'error',
  });
  renameSync(aside, target);
}
