import { parseArgs } from 'node:util';

import { MUTATIONS } from './list.js';
import { tryMutation } from './try-mutation.js';

const HELP = `npm run chaos:mutations -- [--only name,…]

Changes the code of a copy, one mutation at a time, and runs the smallest fault that must notice.
Exit: 0 all were noticed, 1 one survived, 2 usage, 3 a run could not be made.

${MUTATIONS.map(({ name, breaks, fault }) => `  ${name.padEnd(30)} ${breaks} (${fault})`).join('\n')}
`;

const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean', default: false } } });
const names = values.only?.split(',') ?? MUTATIONS.map(({ name }) => name);
const chosen = MUTATIONS.filter(({ name }) => names.includes(name));
if (values.help || chosen.length !== names.length) {
  process.stderr.write(HELP);
  process.exit(values.help ? 0 : 2);
}

// Each time: a second Ctrl-C ends the run under way at once, and its copy is removed all the same.
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort());
let survivors = 0;
try {
  for (const mutation of chosen) {
    const noticed = await tryMutation(mutation, { from: process.cwd(), signal: interrupted.signal });
    if (noticed === undefined) survivors += 1;
    process.stdout.write(
      `${noticed === undefined ? 'SURVIVED' : 'noticed '} ${mutation.name}: ${noticed ?? mutation.breaks}\n`,
    );
  }
  process.stdout.write(`${chosen.length - survivors} of ${chosen.length} mutations noticed\n`);
  process.exitCode = survivors === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 3;
}
