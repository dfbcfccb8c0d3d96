// @ts-check
// npm run lint. ESLint's boundary rule needs Nx's project graph and says nothing at all when there is
// none: so the graph is made first, and a forbidden import is tried before the real files are believed.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ESLint } from 'eslint';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const BOUNDARY_RULE = '@nx/enforce-module-boundaries';
process.env['NX_DAEMON'] = 'false';
process.chdir(ROOT);

/** @returns {string} empty when the graph was made */
function makeProjectGraph() {
  const nx = spawnSync(process.execPath, [join(ROOT, 'node_modules/.bin/nx'), 'show', 'projects'], {
    encoding: 'utf8',
  });
  return nx.status === 0 ? '' : `Nx could not read the projects:\n${nx.stdout}${nx.stderr}`;
}

/** @param {ESLint} eslint */
async function ruleIsAlive(eslint) {
  const forbidden = "import '@hopcount/statistics';\n";
  const [result] = await eslint.lintText(forbidden, { filePath: 'apps/gateway/src/main.ts' });
  return result?.messages.some(({ ruleId }) => ruleId === BOUNDARY_RULE) ?? false;
}

async function main() {
  const noGraph = makeProjectGraph();
  if (noGraph) return noGraph;
  const eslint = new ESLint({ cwd: ROOT });
  if (!(await ruleIsAlive(eslint))) return `${BOUNDARY_RULE} did not report a forbidden import: the rule is skipped.`;
  const results = await eslint.lintFiles(process.argv.length > 2 ? process.argv.slice(2) : ['.']);
  const problems = results.reduce((sum, result) => sum + result.errorCount + result.warningCount, 0);
  if (problems === 0) return '';
  return (await eslint.loadFormatter('stylish')).format(results);
}

const failure = await main();
if (failure) process.stderr.write(`${failure}\n`);
process.exitCode = failure ? 1 : 0;
