// @ts-check
// Jest loads every module anew for each spec file: packages of hundreds of small files are joined, each set once.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';

/** Other packages or another way to join them are another folder. */
const HOW = createHash('sha256')
  .update(readFileSync(import.meta.filename))
  .update(readFileSync(join(import.meta.dirname, 'package-lock.json')))
  .digest('hex')
  .slice(0, 16);
const CACHE = join(import.meta.dirname, 'node_modules/.cache/hopcount/vendors', HOW);

/**
 * What is joined exists once, whichever entry asks for it; packages that are not `inside` stay where they are.
 * @typedef {{name: string, entries: string[], inside: RegExp}} Joined
 */

/** One file each. @type {Joined[]} */
const COMMON = [
  { name: 'typeorm', entries: ['typeorm'], inside: /^typeorm$/ },
  { name: 'rxjs', entries: ['rxjs', 'rxjs/operators'], inside: /^rxjs(\/|$)/ },
  // All but the first are what libs/kafka replaces.
  {
    name: 'kafkajs',
    entries: [
      ...['kafkajs', 'kafkajs/src/protocol/requests/produce/index.js'],
      ...['kafkajs/src/protocol/requests/fetch/index.js', 'kafkajs/src/network/requestQueue/index.js'],
    ],
    inside: /^kafkajs(\/|$)/,
  },
  { name: 'ioredis', entries: ['ioredis'], inside: /^ioredis$/ },
  { name: 'bluebird', entries: ['bluebird'], inside: /^bluebird$/ },
  { name: 'prom-client', entries: ['prom-client'], inside: /./ },
  { name: 'duckdb', entries: ['@duckdb/node-api'], inside: /^@duckdb\/node-api$/ },
  { name: 'fastify', entries: ['fastify'], inside: /^(?!pino$)/ },
];
/** ES modules: a file for each entry, and what they share. @type {Joined[]} */
const MODULES = [
  {
    name: 'nest',
    entries: [
      ...['@nestjs/common', '@nestjs/common/internal', '@nestjs/core', '@nestjs/core/internal'],
      ...['@nestjs/microservices', '@nestjs/platform-fastify'],
    ],
    inside: /^@nestjs\/(common|core|microservices|platform-fastify)(\/|$)/,
  },
  { name: 'zod', entries: ['zod'], inside: /^zod(\/|$)/ },
];

/** @returns {Promise<Record<string, string>>} for Jest's `moduleNameMapper` */
export async function joinedVendors() {
  if (!existsSync(CACHE)) {
    const aside = `${CACHE}.${process.pid}`;
    await Promise.all([
      ...COMMON.map((set) => joinCommon(set, aside)),
      ...MODULES.map((set) => joinModules(set, aside)),
    ]);
    // Another run may have been first.
    if (!existsSync(CACHE)) renameSync(aside, CACHE);
    rmSync(aside, { recursive: true, force: true });
  }
  const files = [
    ...COMMON.flatMap(({ name, entries }) => entries.map((entry, at) => [entry, `${name}-${at}.cjs`])),
    ...MODULES.flatMap(({ name, entries }) => entries.map((entry, at) => [entry, `${name}/${at}.mjs`])),
  ];
  return Object.fromEntries(
    files.map(([entry = '', file = '']) => [`^${entry.replaceAll('.', '\\.')}$`, join(CACHE, file)]),
  );
}

/** @param {RegExp} inside @returns {import('esbuild').BuildOptions} */
const options = (inside) => ({
  absWorkingDir: import.meta.dirname,
  bundle: true,
  platform: 'node',
  target: 'node26',
  keepNames: true,
  logLevel: 'error',
  plugins: [
    {
      name: 'others-outside',
      setup(bundler) {
        bundler.onResolve({ filter: /^[^./]/ }, ({ path }) =>
          inside.test(path) ? undefined : { path, external: true },
        );
      },
    },
  ],
});

/** @param {Joined} set @param {string} folder */
async function joinCommon({ name, entries, inside }, folder) {
  const contents = entries.map((entry, at) => `exports[${at}] = require('${entry}');`).join('\n');
  await build({
    ...options(inside),
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: join(folder, `${name}.cjs`),
    format: 'cjs',
  });
  for (const at of entries.keys()) {
    writeFileSync(join(folder, `${name}-${at}.cjs`), `module.exports = require('./${name}.cjs')[${at}];\n`);
  }
}

/** @param {Joined} set @param {string} folder */
async function joinModules({ name, entries, inside }, folder) {
  await build({
    ...options(inside),
    entryPoints: entries.map((entry, at) => ({ in: entry, out: String(at) })),
    outdir: join(folder, name),
    outExtension: { '.js': '.mjs' },
    splitting: true,
    format: 'esm',
  });
}
