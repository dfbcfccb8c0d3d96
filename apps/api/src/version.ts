/** Ours; in the health reports of /livez and /readyz. */
export const HOPCOUNT_VERSION = '0.1.0';

/**
 * The version of Shlink's REST v3 whose shapes are answered. Clients of that API switch pages on by
 * comparing it, so it is not ours to choose: what 5.1.0 has is what they may ask for.
 */
export const COMPATIBLE_VERSION = '5.1.0';
