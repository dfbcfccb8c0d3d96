// @ts-check
// `node --import <this file> --conditions=@hopcount/source`: a Node process that runs the TypeScript of this
// repository as it is, nothing built. Specs run in jest's own loader; a process a spec starts needs this one.
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

import { transformSync } from '@swc/core';

import { SWC_OPTIONS } from '../../../swc.options.mjs';

if (isMainThread) register(import.meta.url);

/** @public @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(specifier)) throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
}

/** @public @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    ...SWC_OPTIONS,
    filename: fileURLToPath(url),
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
