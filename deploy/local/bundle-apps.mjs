// @ts-check
// Bundles each app into apps/<app>/dist/bundle.js (the CLI with parts beside it), which is what runs: of 2,000 to 2,500 small
// files Node needs more than twice the time to start. Nothing of the code is changed; each module stands below its path.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const APPS = ['gateway', 'consumer', 'worker', 'api', 'cli'];
/** Nest loads it whenever it is there; who consumes nothing does without. */
const WITHOUT_MICROSERVICES = ['gateway'];
const MICROSERVICES = /^@nestjs\/microservices(\/|$)/;
/** A command loads what it needs: what is imported when asked for are files of their own, dist/bundle-<digest>.js. */
const IN_PARTS = ['cli'];
const PART = /^bundle-\w+\.js$/;
/** Threads of apps: they load no more than they need. By file of the app, to the bundle beside the app's own. */
const THREADS = [{ app: 'consumer', main: 'preparation/main', bundle: 'preparation.bundle' }];
const BUNDLED = ['bundle.js', ...THREADS.map(({ bundle }) => `${bundle}.js`)];
/**
 * Left in node_modules: what is native or read from its own folder, what is loaded only when asked for, and kafkajs, of
 * which libs/kafka replaces an internal module (fast-produce.ts).
 */
const EXTERNAL = [
  ...['@duckdb/*', '@node-rs/*', '@fastify/swagger', '@fastify/swagger-ui', 'ioredis', 'pino'],
  ...['@opentelemetry/exporter-*', '@opentelemetry/resources', '@opentelemetry/sdk-trace'],
  ...['@aws-sdk/*', 'openid-client', 'kafkajs', 'libpg-query'],
];
/** In place of `__dirname`, which no module of a bundle has. */
const NO_FOLDER = 'thereIsNoFolderInABundle';
/** Packages that are CommonJS call it. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** @returns {string} changes whenever a bundle may */
function inputsDigest() {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const kind of ['libs', 'apps']) {
    for (const project of readdirSync(join(ROOT, kind)).sort()) {
      const folder = join(ROOT, kind, project, 'dist');
      if (kind === 'apps' && !APPS.includes(project)) continue;
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
      for (const name of names) {
        if (!name.endsWith('.js') || BUNDLED.includes(name) || PART.test(name)) continue;
        hash.update(`${kind}/${project}/${name}\0`).update(readFileSync(join(folder, name)));
      }
    }
  }
  return hash.digest('hex');
}

/** Optional parts of packages that are not installed stay calls that fail when they are made. @type {import('esbuild').Plugin} */
const absentAsExternal = {
  name: 'absent-as-external',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...from }) => {
      if (pluginData === absentAsExternal) return undefined;
      const found = await bundler.resolve(path, { ...from, pluginData: absentAsExternal });
      return found.errors.length > 0 ? { path, external: true } : found;
    });
  },
};

/** Modules find the files beside them (.sql, .lua) by their own address. @type {import('esbuild').Plugin} */
const ownAddresses = {
  name: 'own-addresses',
  setup(bundler) {
    bundler.onLoad({ filter: /\/(libs|apps)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const address = `new URL(${JSON.stringify(`../../../${relative(ROOT, path)}`)}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), loader: 'js' };
    });
  },
};

/** As if it were not installed, which Nest takes as it is. @type {import('esbuild').Plugin} */
const noMicroservices = {
  name: 'no-microservices',
  setup(bundler) {
    bundler.onResolve({ filter: MICROSERVICES }, ({ path }) => ({ path, namespace: 'absent' }));
    bundler.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `throw Object.assign(new Error(${JSON.stringify(`${path} is not part of this app`)}), { code: 'MODULE_NOT_FOUND' });`,
    }));
  },
};

/**
 * @typedef {{app: string, main: string, bundle: string}} Entry `main` and `bundle` are files of the app's dist
 * @param {Entry[]} entries
 * @param {boolean} splitting
 */
async function outputsOf(entries, splitting) {
  const apps = entries.map(({ app }) => app);
  const { outputFiles } = await build({
    entryPoints: entries.map(({ app, main, bundle }) => ({
      in: `apps/${app}/dist/${main}.js`,
      out: `${app}/dist/${bundle}`,
    })),
    outdir: 'apps',
    write: false,
    splitting,
    chunkNames: `${String(apps[0])}/dist/bundle-[hash]`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node26',
    keepNames: true,
    logLevel: 'silent',
    absWorkingDir: ROOT,
    external: EXTERNAL,
    define: { __dirname: NO_FOLDER, __filename: NO_FOLDER },
    banner: { js: REQUIRE },
    plugins: [
      ...(apps.every((app) => WITHOUT_MICROSERVICES.includes(app)) ? [noMicroservices] : []),
      absentAsExternal,
      ownAddresses,
    ],
  });
  return outputFiles;
}

/** @param {string} app @returns {Entry} */
const entryOf = (app) => ({ app, main: 'main', bundle: 'bundle' });

const NAMER = /^var __name = \((\w+), value\) => /m;

/**
 * Classes keep their names, which Nest and errors show, where a bundle has two of one name. The call by which esbuild sees to that
 * also stands round every function made within another one, a tenth of a redirect's time: it does nothing once the app has begun.
 * @param {string} text
 * @param {Entry} entry
 */
function withNamesAtStart(text, { app, main: file }) {
  const main = `// apps/${app}/dist/${file}.js\n`;
  const named = asciiOf(text).replace(NAMER, 'let isStarting = true;\n$&!isStarting ? $1 : ');
  const at = named.lastIndexOf(main);
  if (named === text || at === -1) throw new Error(`bundle of ${app}: esbuild writes names or modules otherwise now`);
  return `${named.slice(0, at)}${main}isStarting = false;\n${named.slice(at + main.length)}`;
}

/**
 * One letter beyond ASCII, in a comment or a pattern, where esbuild leaves them, and V8 keeps two bytes of each: 5 MB more in every process.
 * @param {string} text
 */
function asciiOf(text) {
  return text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @returns {Promise<string[]>} the files, below the root */
async function bundle() {
  const whole = APPS.filter((app) => ![...IN_PARTS, ...WITHOUT_MICROSERVICES].includes(app));
  const entries = [...APPS.map(entryOf), ...THREADS];
  const outputs = [
    await outputsOf([...whole.map(entryOf), ...THREADS], false),
    await outputsOf(WITHOUT_MICROSERVICES.map(entryOf), false),
  ];
  for (const app of IN_PARTS) outputs.push(await outputsOf([entryOf(app)], true));
  /** @type {Set<string>} */
  const written = new Set();
  const isPart = (/** @type {{path: string}} */ { path }) => PART.test(basename(path));
  // Parts come before what imports them.
  for (const { path, contents, text } of outputs.flat().sort((a, b) => Number(isPart(b)) - Number(isPart(a)))) {
    const at = text.indexOf(NO_FOLDER);
    if (at !== -1)
      throw new Error(`${path}: make external what asks for its folder:\n${text.slice(at - 200, at + 50)}`);
    const aside = `${path}.${process.pid}`;
    const entry = entries.find(({ app, bundle }) => path === join(ROOT, 'apps', app, 'dist', `${bundle}.js`));
    const isWhole = entry !== undefined && !IN_PARTS.includes(entry.app);
    writeFileSync(aside, isWhole ? withNamesAtStart(text, entry) : contents);
    renameSync(aside, path);
    written.add(path);
  }
  for (const app of IN_PARTS) removeOldParts(join(ROOT, 'apps', app, 'dist'), written);
  return [...written].map((path) => relative(ROOT, path));
}

const DAY_MS = 86_400_000;

/**
 * Of a day ago: another build or a command that is running may still need younger ones.
 * @param {string} folder
 * @param {Set<string>} kept
 */
function removeOldParts(folder, kept) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (PART.test(name) && !kept.has(path) && statSync(path).mtimeMs < Date.now() - DAY_MS)
      rmSync(path, { force: true });
  }
}

/** Does nothing when no bundle would change. @returns {Promise<boolean>} whether they are there; the rest goes to the terminal */
export async function bundleApps() {
  const digest = inputsDigest();
  // Of what the bundles were made, and which files they are.
  const made = join(ROOT, 'apps/cli/dist/.bundled');
  const [known, ...files] = existsSync(made) ? readFileSync(made, 'utf8').split('\n') : [];
  if (known === digest && files.every((file) => existsSync(join(ROOT, file)))) return true;
  try {
    writeFileSync(made, [digest, ...(await bundle())].join('\n'));
    return true;
  } catch (error) {
    process.stderr.write(`the apps could not be bundled: ${/** @type {Error} */ (error).message}\n`);
    return false;
  }
}
