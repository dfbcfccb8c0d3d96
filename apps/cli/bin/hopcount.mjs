#!/usr/bin/env node
// @ts-check
// Committed so that `npx hopcount` exists right after npm ci; the code itself is compiled to ../dist.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/bundle.js', import.meta.url);
const problem = problemOf();
if (problem === undefined) {
  await import(main.href);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

function problemOf() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 26) {
    return `hopcount needs Node 26 or newer; this is ${node}: run \`npx hopcount\`, which takes the one that npm ci brought.`;
  }
  if (existsSync(fileURLToPath(main))) return undefined;
  return 'hopcount is not built yet: run `npm run build` (or `npm start`, which builds) first.';
}
