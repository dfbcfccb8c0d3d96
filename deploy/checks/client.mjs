// @ts-check
// npm run client:check and client:write: libs/client/src/rest-api.generated.ts is what openapi-typescript makes of the
// OpenAPI document of the built api. The check fails when they differ, or when the package would lack or leak files.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import openapiTS, { astToString } from 'openapi-typescript';

import { ROOT } from '../local/settings.mjs';

const TYPES = join(ROOT, 'libs/client/src/rest-api.generated.ts');
const HEADER = '// Written by `npm run client:write` from the OpenAPI document; not meant to be edited.\n\n';
const PACKED = [
  'LICENSE',
  'README.md',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/rest-api.generated.d.ts',
  'package.json',
];
const NOT_PACKED = /\.spec\.|\.tsbuildinfo$|node_modules|tsconfig/;

const BUILT_API = join(ROOT, 'apps/api/dist');

/** @typedef {{paths: Record<string, Record<string, {responses: Record<string, object>}>>}} ApiDocument */

/** Of the modules alone: no service is needed. */
async function typesOfDocument() {
  /** @type {{ApiModule: object}} */
  const { ApiModule } = await import(join(BUILT_API, 'api.module.js'));
  /** @type {{findOperations: (module: object) => object[]}} */
  const { findOperations } = await import(join(BUILT_API, 'http/find-operations.js'));
  /** @type {{createDocument: (operations: object[]) => ApiDocument}} */
  const { createDocument } = await import(join(BUILT_API, 'openapi/document.js'));
  const document = createDocument(findOperations(ApiModule));
  joinProblems(document);
  const types = await openapiTS(Buffer.from(JSON.stringify(document)), { alphabetize: true, silent: true });
  return HEADER + astToString(types);
}

/**
 * Which problems there are is in the document. For types all are one shape, and saying it for each status would be half of the file.
 * @param {ApiDocument} document
 */
function joinProblems({ paths }) {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const done = Object.entries(operation.responses).filter(([status]) => status < '4');
    const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
    operation.responses = { ...Object.fromEntries(done), default: { description: 'A problem.', content } };
  }
}

/** @returns {string} what is wrong with the files that would be published; empty when nothing is */
function wrongWithPackage() {
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'libs/client'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (tsc.status !== 0) return `its types:\n${tsc.stdout}`;
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspace', '@hopcount/client'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) return `npm pack failed:\n${stderr}`;
  /** npm 11 lists packages, npm 12 names them. @type {{files: {path: string}[]}[] | Record<string, {files: {path: string}[]}>} */
  const said = JSON.parse(stdout);
  const files = Object.values(said).flatMap((packed) => packed.files.map(({ path }) => path));
  const missing = PACKED.filter((file) => !files.includes(file));
  const leaked = files.filter((file) => NOT_PACKED.test(file));
  return [...missing.map((file) => `is missing: ${file}`), ...leaked.map((file) => `does not belong: ${file}`)].join(
    '\n',
  );
}

const types = await typesOfDocument();
if (process.argv.includes('--write')) {
  writeFileSync(TYPES, types);
} else {
  if (readFileSync(TYPES, 'utf8') !== types) {
    process.stderr.write('libs/client is not what the OpenAPI document says; npm run client:write writes it.\n');
    process.exitCode = 1;
  }
  const wrong = wrongWithPackage();
  if (wrong !== '') {
    process.stderr.write(`The package of libs/client:\n${wrong}\n`);
    process.exitCode = 1;
  }
}
