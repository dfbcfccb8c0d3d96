const KEPT_AS = 'hopcount.zone';
export const SYSTEM_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone that somebody chose for all numbers in this browser; undefined: that of the browser. */
export function keptZone(): string | undefined {
  const kept = localStorage.getItem(KEPT_AS);
  return kept !== null && Intl.supportedValuesOf('timeZone').concat('UTC').includes(kept) ? kept : undefined;
}

export function keepZone(zone: string | undefined): void {
  if (zone === undefined) localStorage.removeItem(KEPT_AS);
  else localStorage.setItem(KEPT_AS, zone);
  BROWSER_ZONE = zone ?? SYSTEM_ZONE;
}

/** Of what is looked at where the address names none. */
export let BROWSER_ZONE = keptZone() ?? SYSTEM_ZONE;
