/** `1` is Monday, `7` Sunday. */
export function weekdayName(day: string, language: string): string {
  // The first of January 2024 was a Monday.
  const date = new Date(Date.UTC(2024, 0, Number(day)));
  if (Number.isNaN(date.getTime())) return day;
  return new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(date);
}

/** From faint to full; the root shows differences among few visits as well. */
export function heatOf(visits: number, most: number): string {
  const strength = 0.15 + 0.85 * Math.sqrt(visits / Math.max(1, most));
  return `rgb(16 152 173 / ${Math.round(strength * 100)}%)`;
}
