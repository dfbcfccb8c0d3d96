// @ts-check
// `node --import <this file> --conditions=@hopcount/source`: a Node process that runs the TypeScript of this
// repository as it is, nothing built. Specs run in jest's own loader; a process a spec starts needs this one.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';

import { SWC_OPTIONS } from '../../../swc.options.mjs';

/** @type {import('node:module').ResolveHookSync} */
function resolve(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(specifier)) throw error;
    return next(specifier.replace(/\.js$/, '.ts'), context);
  }
}

/** @type {import('node:module').LoadHookSync} */
function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
    ...SWC_OPTIONS,
    filename: fileURLToPath(url),
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}

registerHooks({ resolve, load });
