/** `2026-01-31T12:00:00+00:00`: whole seconds and `+00:00`, which clients compare as text. */
export function formatDate(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, '+00:00');
}
