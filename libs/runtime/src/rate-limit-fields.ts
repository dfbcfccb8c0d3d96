/** A token bucket as a client is told of it. */
export interface ShownLimit {
  name: string;
  burst: number;
  perSecond: number;
  left: number;
  fullInMs: number;
}

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: `q` requests in the `w` seconds a bucket
 * takes to fill, `r` of them left now, and all again in `t` seconds. Raw header pairs.
 */
export function rateLimitFields(limits: readonly ShownLimit[]): [string, string][] {
  const policies = limits.map(
    ({ name, burst, perSecond }) => `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`,
  );
  const states = limits.map(({ name, left, fullInMs }) => `"${name}";r=${left};t=${Math.ceil(fullInMs / 1_000)}`);
  return [
    ['ratelimit-policy', policies.join(', ')],
    ['ratelimit', states.join(', ')],
  ];
}

/** Of a request that is refused. */
export function retryAfter(ms: number): [string, string] {
  return ['retry-after', String(Math.max(1, Math.ceil(ms / 1_000)))];
}
