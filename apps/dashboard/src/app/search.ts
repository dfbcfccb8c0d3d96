export type Search = Record<string, string | string[] | undefined>;

/** As people and other programs write queries: a name that is there several times is a list. */
export function parseSearch(text: string): Search {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = found[name];
    found[name] = before === undefined ? value : [before, value].flat();
  }
  return found;
}

export function formatSearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const one of [value].flat())
      if (typeof one === 'string' || typeof one === 'number') params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
