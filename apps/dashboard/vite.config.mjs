// @ts-check
import { defineConfig } from 'vite';

import { compressFiles } from './compress-files.mjs';
import { firstLoad } from './first-load.mjs';
import { preloadFirst } from './preload-first.mjs';

/** Of the api, while `npx vite` serves the pages in development. */
const API = 'http://127.0.0.1:8081';

export default defineConfig({
  root: import.meta.dirname,
  // Addresses are relative to <base>, which the api writes: it may be reached under a path.
  base: './',
  resolve: { conditions: ['@hopcount/source', 'module', 'browser', 'production', 'import', 'default'] },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // With light-dark(), which is not rewritten for older ones.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    manifest: 'manifest.json',
    sourcemap: false,
    // Inlined files would be data: addresses, which the page may not load as scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files: browsers ask an HTTP/1.1 server for six at a time, and many small ones compress worse. What a group matches
          // brings along all that it imports.
          groups: [
            { name: 'first', tags: ['$initial'], test: /\/(?!main\.tsx|index\.html)[^/]*$/, priority: 3 },
            {
              name: 'fields',
              test: /\/@mantine\/core\/esm\/components\/(Input|InputBase|TextInput)\/\w+\.mjs$/,
              priority: 2,
            },
            {
              name: 'overview',
              test: /\/src\/features\/(statistics\/Panels|view\/ViewBar|sharing\/ShareButton)\.tsx$/,
            },
          ],
        },
      },
      // Packages say "use client" to servers that render; there is none.
      checks: { moduleLevelDirective: false },
    },
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  plugins: [
    firstLoad(),
    preloadFirst(),
    compressFiles(),
    {
      name: 'placeholders of the api',
      apply: 'serve',
      transformIndexHtml: (html) =>
        html.replaceAll('{{base}}', '/').replaceAll('{{nonce}}', '').replaceAll('{{provider}}', 'no'),
    },
  ],
  server: { proxy: { '/rest': API } },
});
