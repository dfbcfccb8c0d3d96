/**
 * A ring of longitudes and latitudes that crosses the 180th meridian goes on beyond it, where it would else run back around the
 * whole world: Russia and Fiji do.
 */
export function unwrapRing(ring: readonly number[][]): number[][] {
  const crosses = ring.some(([longitude = 0], nth) => Math.abs(longitude - (ring[nth - 1]?.[0] ?? longitude)) > 180);
  return ring.map(([longitude = 0, latitude = 0]) => [
    crosses && longitude < 0 ? longitude + 360 : longitude,
    latitude,
  ]);
}
