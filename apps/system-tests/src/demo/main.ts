import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { stackFileSchema } from '@hopcount/contracts';

import { runDemo } from './run-demo.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { visits: { type: 'string', default: '3000' } },
});
const visits = Number(values.visits);
if (!Number.isInteger(visits) || visits < 1 || positionals[0] === undefined) {
  process.stderr.write('usage: npm run demo -- [--visits 3000]\n');
  process.exit(2);
}
const stack = stackFileSchema.parse(JSON.parse(readFileSync(positionals[0], 'utf8')));
try {
  process.exitCode = await runDemo(stack, visits);
} catch (error) {
  process.stderr.write(`The demo failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
