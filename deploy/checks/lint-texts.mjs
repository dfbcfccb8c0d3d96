// @ts-check
// Lints texts as if they stood in existing files: reads [{filePath, text}] as JSON from standard input,
// writes the rules each one breaks, [{filePath, rules}]. Needs Nx's project graph, like lint.mjs.
import { text } from 'node:stream/consumers';

import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

process.env['NX_DAEMON'] = 'false';
const cases = /** @type {{filePath: string, text: string}[]} */ (JSON.parse(await text(process.stdin)));
// Who imports what is asked without types: reading all of the code for them takes half a minute.
const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
const results = [];
for (const { filePath, text: code } of cases) {
  const [result] = await eslint.lintText(code, { filePath });
  results.push({ filePath, rules: (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message) });
}
process.stdout.write(`${JSON.stringify(results)}\n`);
