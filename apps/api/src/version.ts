/** Ours; in the health reports of /livez and /readyz. */
export const HOPCOUNT_VERSION = '0.1.0';
