import { execFileSync } from 'node:child_process';

import { beforeAll, describe, expect, it } from '@jest/globals';

const RULE = 'hopcount/no-swallowed-errors';
const PRODUCT = 'apps/gateway/src/main.ts';

/** Each text stands in for the whole content of a file that exists. */
const CASES: { filePath: string; text: string; isRefused: boolean }[] = [
  { filePath: PRODUCT, text: 'try { work(); } catch {}', isRefused: true },
  { filePath: PRODUCT, text: 'try { work(); } catch { fallBack(); }', isRefused: true },
  { filePath: 'deploy/local/apps.mjs', text: 'try { work(); } catch { fallBack(); }', isRefused: true },
  { filePath: 'apps/dashboard/src/main.tsx', text: 'try { work(); } catch { fallBack(); }', isRefused: true },
  { filePath: PRODUCT, text: 'try { work(); } catch (error) { log(error); }', isRefused: false },
  { filePath: PRODUCT, text: 'try { work(); } catch { throw new Error("no work"); }', isRefused: false },
  { filePath: PRODUCT, text: 'try { work(); } catch {\n// Not there yet.\n}', isRefused: false },
  { filePath: PRODUCT, text: 'void work().catch(() => undefined);', isRefused: true },
  { filePath: PRODUCT, text: 'const names = await read().catch(() => []);', isRefused: true },
  { filePath: PRODUCT, text: 'void work().then(show, () => false);', isRefused: true },
  { filePath: PRODUCT, text: 'if (isOpen) await work().catch(() => {});', isRefused: true },
  { filePath: PRODUCT, text: '// It is tried again.\nvoid work().catch(() => undefined);', isRefused: false },
  { filePath: PRODUCT, text: 'void work().catch(() => undefined); // it is tried again', isRefused: false },
  { filePath: PRODUCT, text: 'void work().catch((error) => log(error));', isRefused: false },
  { filePath: PRODUCT, text: 'void work().catch(() => fallBack());', isRefused: false },
  { filePath: PRODUCT, text: 'kept.catch(() => undefined);', isRefused: false },
  { filePath: PRODUCT, text: 'await sleep(1, undefined, { signal }).catch(() => undefined);', isRefused: false },
  { filePath: 'apps/gateway/src/gateway.spec-helpers.ts', text: 'try { work(); } catch {}', isRefused: false },
];

describe('an error that is caught', () => {
  let broken: string[][];

  beforeAll(() => {
    const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
    const input = JSON.stringify(CASES);
    const output = execFileSync(process.execPath, ['deploy/checks/lint-texts.mjs'], { env, input, encoding: 'utf8' });
    broken = (JSON.parse(output) as { rules: string[] }[]).map(({ rules }) => rules);
  }, 120_000);

  it.each(CASES.map((one, index) => ({ ...one, index })))('in $filePath: $text', ({ isRefused, index }) => {
    expect(broken[index]?.includes(RULE)).toBe(isRefused);
  });
});
