import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { ChaosReport } from '../report.js';
import { copyTree, editFile } from './copy-tree.js';
import { type Mutation, MUTATIONS } from './list.js';

const HELP = `npm run chaos:mutations -- [--only name,…]

Changes the code of a copy, one mutation at a time, and runs the smallest fault that must notice.
Exit: 0 all were noticed, 1 one survived, 2 usage, 3 a run could not be made.

${MUTATIONS.map(({ name, breaks, fault }) => `  ${name.padEnd(30)} ${breaks} (${fault})`).join('\n')}
`;
/** A wrong number or a wrong set of ids; that a fault did not happen says nothing about the mutation. */
const NOTICED =
  /lost \(|doubled|invented|counted twice|differ|verify:|nobody damaged|revoked key|blocked host|old target|sent on by/;

const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean', default: false } } });
const names = values.only?.split(',') ?? MUTATIONS.map(({ name }) => name);
const chosen = MUTATIONS.filter(({ name }) => names.includes(name));
if (values.help || chosen.length !== names.length) {
  process.stderr.write(HELP);
  process.exit(values.help ? 0 : 2);
}

let survivors = 0;
for (const mutation of chosen) {
  const noticed = tryMutation(mutation);
  if (noticed === undefined) survivors += 1;
  process.stdout.write(
    `${noticed === undefined ? 'SURVIVED' : 'noticed '} ${mutation.name}: ${noticed ?? mutation.breaks}\n`,
  );
}
process.stdout.write(`${chosen.length - survivors} of ${chosen.length} mutations noticed\n`);
process.exitCode = survivors === 0 ? 0 : 1;

/** @returns what was noticed, in one line; undefined when nothing was */
function tryMutation({ name, edits, fault }: Mutation): string | undefined {
  const copy = mkdtempSync(join(tmpdir(), 'hopcount-mutation-'));
  try {
    copyTree(process.cwd(), copy);
    for (const { file, find, replace } of edits) editFile(join(copy, file), find, replace);
    const report = join(copy, 'report');
    const args = ['apps/system-tests/dist/chaos/main.js', '--faults', fault, '--recovery-seconds', '20'];
    const { status } = spawnSync(process.execPath, [...args, '--report', report], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status === 3) {
      process.stderr.write(`${name}: the run could not be made\n`);
      process.exit(3);
    }
    const file = readdirSync(report).find((one) => one.endsWith('.json')) ?? '';
    const { violations } = JSON.parse(readFileSync(join(report, file), 'utf8')) as ChaosReport;
    return violations
      .find((violation) => NOTICED.test(violation))
      ?.split('\n')
      .slice(0, 3)
      .join(' ');
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
