import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

import { build, stop } from 'esbuild';
import { compile } from 'tailwindcss';

/** Jest runs at the root of the repository. */
const PACKAGES = join(process.cwd(), 'node_modules');
const PAGE = join(process.cwd(), 'apps/system-tests/src/harness/web-client/page.jsx');
const STYLES = ['tailwindcss/index.css', ...kit('tailwind.preset.css')];

export interface ServedPage {
  url: string;
  close(): Promise<void>;
}

/** A page with Shlink's web component on a server of its own, so that its requests to the API are cross-origin. */
export async function servePage(api: { baseUrl: string; apiKey: string }): Promise<ServedPage> {
  const [script, style] = await Promise.all([buildScript(), buildStyle()]);
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shlink</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css"></head><body><div id="root" style="height: 100%"></div>
<script type="application/json" id="server">${JSON.stringify(api)}</script><script type="module" src="/page.js"></script></body></html>`;
  const server = createServer((request, response) => {
    const [type, body] =
      request.url === '/page.js'
        ? ['text/javascript', script]
        : request.url === '/page.css'
          ? ['text/css', style]
          : ['text/html', html];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function buildScript(): Promise<string> {
  try {
    const { outputFiles } = await build({
      entryPoints: [PAGE],
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'warning',
    });
    return outputFiles[0]?.text ?? '';
  } finally {
    await stop();
  }
}

/** The classes that the two packages name, made into rules. */
async function buildStyle(): Promise<string> {
  const compiler = await compile(STYLES.map((path) => `@import '${path}';`).join('\n'), {
    base: PACKAGES,
    loadStylesheet: async (id, base) => {
      const path = join(PACKAGES, id);
      return { path, base: base === PACKAGES ? dirname(path) : base, content: await readFile(path, 'utf8') };
    },
  });
  const sources = await Promise.all(kit('index.js').map((path) => readFile(join(PACKAGES, path), 'utf8')));
  return compiler.build(sources.flatMap((source) => [...new Set(source.split(/["'`\s]+/))]));
}

function kit(file: string): string[] {
  return ['shlink-frontend-kit', 'shlink-web-component'].map((name) => `@shlinkio/${name}/dist/${file}`);
}
