#!/usr/bin/env node
// @ts-check
// Committed so that `npx hopcount` exists right after npm ci; the code itself is compiled to ../dist.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/bundle.js', import.meta.url);
if (existsSync(fileURLToPath(main))) {
  await import(main.href);
} else {
  process.stderr.write('hopcount is not built yet: run `npm run build` (or `npm start`, which builds) first.\n');
  process.exitCode = 1;
}
