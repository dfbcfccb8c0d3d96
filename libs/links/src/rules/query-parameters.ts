/** Parameters looked at; a query of 10,000 parameters costs no more than one of 100. */
export const MAX_PARAMETERS = 100;

/**
 * What rules see of a raw query string, without its `?`: values of each parameter, decoded; `''` of one without a value. Whoever
 * asks rules reads it here, so that trying a rule finds what a redirect finds.
 */
export function queryParameters(query: string): ReadonlyMap<string, readonly string[]> {
  const parameters = new Map<string, string[]>();
  for (const text of query === '' ? [] : query.split('&', MAX_PARAMETERS)) {
    const equals = text.indexOf('=');
    const name = decodeFormValue(equals === -1 ? text : text.slice(0, equals));
    const value = equals === -1 ? '' : decodeFormValue(text.slice(equals + 1));
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** A value of a form or query; text that is no valid percent-encoding stays as it stands. */
export function decodeFormValue(value: string): string {
  const spaced = value.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    // No percent-encoding: taken as it stands.
    return spaced;
  }
}
