import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const LOCAL = fileURLToPath(new URL('../../../../deploy/local/', import.meta.url));
const MODULES = ['run', 'npm-install', 'output', 'processes', 'settings'];
/** The launcher alone believes to run on Node 20: what it starts is given no options. */
const OLD = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
const SCRIPT = `
  let signals = 0;
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => {
    signals += 1;
    console.log(name, signals);
    setTimeout(() => process.exit(40 + signals), 200);
  });
  console.log('ready', process.versions.node, process.pid, process.argv.slice(2).join(' '));
  if (process.argv.includes('wait')) setInterval(() => undefined, 1000);
  else process.exitCode = 7;
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hopcount-launcher-'));
  for (const name of MODULES) cpSync(join(LOCAL, `${name}.mjs`), join(root, 'deploy/local', `${name}.mjs`));
  writeFileSync(join(root, 'deploy/local/script.mjs'), SCRIPT);
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages":{}}');
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function launch(args: string[], options: string[]) {
  const child = spawn(process.execPath, [...options, join(root, 'deploy/local/run.mjs'), 'script', ...args], {
    // As a terminal's job: what Ctrl-C sends reaches all of its group.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => output.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => output.push(line));
  return { child, output, ended: once(child, 'close') as Promise<[number | null, string | null]> };
}

async function ready({ child, output }: { child: ChildProcess; output: string[] }) {
  for (;;) {
    const line = output.find((text) => text.startsWith('ready'));
    if (line !== undefined) return Number(line.split(' ')[2]);
    if (child.stdout === null) throw new Error('the launcher says nothing');
    await once(child.stdout, 'data');
  }
}

describe('npm start and npm test on an older Node', () => {
  it('the Node that npm installed runs the script with its arguments, one line says so, and its exit code is passed on', async () => {
    const { output, ended } = launch(['a', '--b'], ['--import', OLD]);
    expect(await ended).toEqual([7, null]);
    expect(output).toEqual([
      'This is Node 20.20.2: Node 26 of node_modules runs it.',
      expect.stringMatching(`^ready ${process.versions.node} \\d+ a --b$`),
    ]);
  });

  it('on a Node that is new enough the script runs at once', async () => {
    const { child, output, ended } = launch(['a'], []);
    expect(await ended).toEqual([7, null]);
    expect(output).toEqual([`ready ${process.versions.node} ${String(child.pid)} a`]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s to all processes of the terminal reaches the script once',
    async (signal) => {
      const launched = launch(['wait'], ['--import', OLD]);
      await ready(launched);
      process.kill(-Number(launched.child.pid), signal);
      expect(await launched.ended).toEqual([41, null]);
      expect(launched.output.at(-1)).toBe(`${signal} 1`);
    },
  );

  it('a script that was killed ends the launcher by the same signal', async () => {
    const launched = launch(['wait'], ['--import', OLD]);
    process.kill(await ready(launched), 'SIGKILL');
    expect(await launched.ended).toEqual([null, 'SIGKILL']);
  });

  it('a launcher that is killed leaves no script behind', async () => {
    const launched = launch(['wait'], ['--import', OLD]);
    await ready(launched);
    launched.child.kill('SIGKILL');
    // The script holds the launcher's output: it closes with the last of the two.
    expect(await launched.ended).toEqual([null, 'SIGKILL']);
    expect(launched.output.at(-1)).toBe('SIGTERM 1');
  });

  it('where npm has no Node for the machine, the error says what to install', async () => {
    rmSync(join(root, 'node_modules/.bin/node'));
    const { output, ended } = launch([], ['--import', OLD]);
    expect(await ended).toEqual([1, null]);
    const machine = `${process.platform} ${process.arch}`;
    expect(output.at(-1)).toBe(
      'Hopcount needs Node 26 or newer; this is 20.20.2, and npm has installed none that runs on ' +
        `this machine (${machine}): please install Node 26.`,
    );
  });
});
