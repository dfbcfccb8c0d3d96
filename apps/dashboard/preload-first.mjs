// @ts-check

/** What nearly every address needs beside the entry: the frame of pages, and the texts that most browsers ask for. */
const MODULES = ['src/app/Shell.tsx', 'src/i18n/en/first.ts'];

/** @typedef {{ type: string, fileName: string, imports?: string[], facadeModuleId?: string | null }} Output */

/**
 * Names these files in the page, so that browsers ask for them at once and not when the entry was read and run.
 * @returns {import('vite').Plugin}
 */
export function preloadFirst() {
  return {
    name: 'files of the first page, asked for at once',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        const outputs = /** @type {Record<string, Output>} */ (bundle ?? {});
        const files = new Set(Object.values(outputs).flatMap((one) => filesOf(outputs, one)));
        return [...files]
          .filter((file) => !html.includes(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
            injectTo: 'head',
          }));
      },
    },
  };
}

/**
 * @param {Record<string, Output>} outputs
 * @param {Output} output
 * @returns {string[]} it and what it imports, where it is one of those
 */
function filesOf(outputs, { fileName, facadeModuleId }) {
  if (!MODULES.some((module) => facadeModuleId?.endsWith(module) === true)) return [];
  const files = new Set([fileName]);
  for (const file of files) for (const other of outputs[file]?.imports ?? []) files.add(other);
  return [...files];
}
