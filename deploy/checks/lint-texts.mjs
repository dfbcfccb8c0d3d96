// @ts-check
// Lints texts as if they stood in existing files: reads [{filePath, text}] as JSON from standard input,
// writes the rules each one breaks, [{filePath, rules}]. Needs Nx's project graph, like lint.mjs.
import { text } from 'node:stream/consumers';

import { ESLint } from 'eslint';

process.env['NX_DAEMON'] = 'false';
// With CI=true typescript-eslint would read a file's text from the disk instead of taking the one given.
process.env['TSESTREE_SINGLE_RUN'] = 'false';
const cases = /** @type {{filePath: string, text: string}[]} */ (JSON.parse(await text(process.stdin)));
const eslint = new ESLint();
const results = [];
for (const { filePath, text: code } of cases) {
  const [result] = await eslint.lintText(code, { filePath });
  results.push({ filePath, rules: (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message) });
}
process.stdout.write(`${JSON.stringify(results)}\n`);
