// @ts-check
import { gzipSync } from 'node:zlib';

/** What the first page may weigh with all it needs, charts aside: gzip, in bytes. */
const MOST_BYTES = 200_000;
/** What is loaded at an address before anybody clicks. */
const PAGES = {
  overview: [
    ...['src/app/Shell.tsx', 'src/pages/overview/OverviewPage.tsx', 'src/features/live/LivePanel.tsx'],
    ...['src/features/statistics/CurvePanel.tsx'],
  ],
  'sign-in': ['src/pages/sign-in/SignInPage.tsx'],
};
const LANGUAGE = 'src/i18n/en/first.ts';

/** @typedef {{ type: string, code?: string, source?: string | Uint8Array, imports?: string[], isEntry?: boolean, facadeModuleId?: string | null, viteMetadata?: { importedCss: Set<string> } }} Output */

/**
 * Fails a build whose first page has grown beyond that, and says of which files it is.
 * @returns {import('vite').Plugin}
 */
export function firstLoad() {
  return {
    name: 'weight of the first page',
    apply: 'build',
    writeBundle(_options, bundle) {
      const outputs = /** @type {Record<string, Output>} */ (bundle);
      for (const [page, modules] of Object.entries(PAGES)) {
        const files = filesOf(outputs, [...modules, LANGUAGE]);
        const bytes = [...files.values()].reduce((sum, one) => sum + one, 0);
        if (bytes <= MOST_BYTES) continue;
        const heaviest = [...files].sort((a, b) => b[1] - a[1]).slice(0, 8);
        const list = heaviest.map(([file, one]) => `${file} ${one}`).join(', ');
        this.error(
          `${page} loads ${bytes} bytes (gzip), ${MOST_BYTES} are allowed: load lazily what it can do without. ${list}`,
        );
      }
    },
  };
}

/**
 * @param {Record<string, Output>} outputs
 * @param {readonly string[]} modules
 * @returns {Map<string, number>} bytes of each file that is loaded before these can be shown
 */
function filesOf(outputs, modules) {
  const starts = Object.entries(outputs).filter(
    ([, { isEntry, facadeModuleId }]) =>
      isEntry === true || modules.some((module) => facadeModuleId?.endsWith(module) === true),
  );
  if (starts.length !== modules.length + 1)
    throw new Error(`not all of ${modules.join(', ')} are entries of the bundle`);
  /** @type {Map<string, number>} */
  const files = new Map();
  const visit = (/** @type {string} */ file) => {
    const output = outputs[file];
    if (output === undefined || files.has(file)) return;
    files.set(file, gzipSync(output.code ?? output.source ?? '').length);
    for (const other of [...(output.imports ?? []), ...(output.viteMetadata?.importedCss ?? [])]) visit(other);
  };
  for (const [file] of starts) visit(file);
  return files;
}
