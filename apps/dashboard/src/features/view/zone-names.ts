/** All that the browser knows, with those first that are in use here. */
export function zoneNames(...first: string[]): string[] {
  return [...new Set([...first, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
