// @ts-check
// npm run lint. ESLint's boundary rule needs Nx's project graph and says nothing at all when there is
// none: so the graph is made first, and a forbidden import is tried before the real files are believed.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const BOUNDARY_RULE = '@nx/enforce-module-boundaries';
const FORBIDDEN = [{ filePath: 'apps/gateway/src/main.ts', text: "import '@hopcount/statistics';\n" }];
// The daemon would outlive this check.
const env = { ...process.env, NX_DAEMON: 'false' };

/**
 * @param {string[]} args
 * @param {string} [input]
 */
function node(args, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, input, encoding: 'utf8' });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

/** @returns {string} what is wrong; empty when all is well (ESLint itself has then said the rest) */
function lint() {
  const graph = node(['node_modules/.bin/nx', 'show', 'projects']);
  if (!graph.ok) return `Nx could not read the projects:\n${graph.output}`;
  const canary = node(['deploy/checks/lint-texts.mjs'], JSON.stringify(FORBIDDEN));
  if (!canary.output.includes(BOUNDARY_RULE)) {
    return `${BOUNDARY_RULE} did not report a forbidden import: the rule is skipped.\n${canary.output}`;
  }
  const paths = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
  const eslint = spawnSync(process.execPath, ['node_modules/.bin/eslint', '--max-warnings', '0', ...paths], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  return eslint.status === 0 ? '' : 'ESLint found problems.';
}

const failure = lint();
if (failure) process.stderr.write(`${failure}\n`);
process.exitCode = failure ? 1 : 0;
