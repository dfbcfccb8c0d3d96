/** v1, v2 and v3 are one API: clients of any of them are served. The document describes v3. */
export const REST_VERSIONS = ['v1', 'v2', 'v3'] as const;

/** `rest/v1/<path>`, `rest/v2/<path>`, `rest/v3/<path>`: what a controller listens on. */
export function restPaths(path: string): string[] {
  return REST_VERSIONS.map((version) => `rest/${version}/${path}`);
}
