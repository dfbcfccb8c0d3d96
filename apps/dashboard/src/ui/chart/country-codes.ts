/**
 * `276` → `DE`: maps of the world name countries by number (ISO 3166-1), visits by letters. Every browser has the table: Unicode
 * says that a language tag's number of a country is the same as its letters (UTS 35, territoryAlias).
 */
export function codeOfNumber(number: string | number | undefined): string | undefined {
  if (number === undefined || !/^\d{1,3}$/.test(String(number))) return undefined;
  const [tag = ''] = Intl.getCanonicalLocales(`und-${String(number).padStart(3, '0')}`);
  return /^und-([A-Z]{2})$/.exec(tag)?.[1];
}
