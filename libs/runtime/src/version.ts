import { readFileSync } from 'node:fs';

/** Of the packages; what the API's document says. */
export const PACKAGE_VERSION = '0.1.0';

/** Beside this file once it is built (deploy/local/build.mjs): the commit, when the build knew it. */
const COMMIT = new URL('build-commit.txt', import.meta.url);

/** What runs here unless HOPCOUNT_VERSION says otherwise: `0.1.0+1a2b3c4d`. */
export function builtVersion(): string {
  try {
    return `${PACKAGE_VERSION}+${readFileSync(COMMIT, 'utf8').trim()}`;
  } catch {
    // Not built by our build.
    return PACKAGE_VERSION;
  }
}
