/** Of the normal distribution: 95 of 100 intervals hold the true share. */
const Z = 1.959964;

export interface Interval {
  low: number;
  high: number;
}

/**
 * Where the true share of something seen `part` times in `whole` lies, with 95 % confidence: Wilson's interval (1927), which
 * stays between 0 and 1, and says something of a part of 0 as well.
 * @returns undefined where nothing was seen
 */
export function wilsonInterval(part: number, whole: number): Interval | undefined {
  if (whole <= 0 || part < 0 || part > whole) return undefined;
  const share = part / whole;
  const spread = (Z * Z) / whole;
  const middle = share + spread / 2;
  const reach = Z * Math.sqrt((share * (1 - share)) / whole + spread / (4 * whole));
  return { low: Math.max(0, (middle - reach) / (1 + spread)), high: Math.min(1, (middle + reach) / (1 + spread)) };
}
