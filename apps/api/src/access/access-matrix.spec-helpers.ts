import { readFileSync } from 'node:fs';

/** Of a kind of key on a route: of an object it reaches, and of another. */
export interface Cell {
  own: Expected;
  foreign: Expected;
}

/** `shows`: whether a list has the object in it. */
export interface Expected {
  status: number;
  shows: boolean;
}

/** The table of ACCESS.md: by route (`GET /rest/v3/tags`), then by kind of key. */
export function readAccessMatrix(): Map<string, Map<string, Cell>> {
  const text = readFileSync(new URL('../../ACCESS.md', import.meta.url), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [head = [], , ...routes] = rows;
  return new Map(
    routes.map(([route = '', ...cells]) => {
      if (cells.length !== head.length - 1) throw new Error(`the row of ${route} has ${cells.length} cells`);
      return [route.replaceAll('`', ''), new Map(cells.map((cell, nth) => [head[nth + 1] ?? '', toCell(cell)]))];
    }),
  );
}

/** Roles of everything are answered as keys with their scopes together: by the best of these columns. */
export const LIKE_KEYS: Readonly<Record<string, readonly string[]>> = {
  'viewer of everything': ['read', 'statistics'],
  'member of everything': ['read', 'write', 'statistics'],
};

/** @param isOfUser the operation asks for a session, which no key has */
export function likeKeys(cells: ReadonlyMap<string, Cell>, columns: readonly string[], isOfUser: boolean): Expected {
  const of = (isOfUser ? ['owner'] : columns).map((column) => cells.get(column)!.foreign);
  // Who lacks the scope learns nothing: any other answer is better.
  const better = of.filter((expected) => expected.status !== 403);
  const status = Math.min(...(better.length > 0 ? better : of).map((expected) => expected.status));
  return { status, shows: of.some((expected) => expected.status === status && expected.shows) };
}

function toCell(text: string): Cell {
  const [own = '', foreign = own] = text.split(' ');
  return { own: toExpected(own), foreign: toExpected(foreign) };
}

function toExpected(text: string): Expected {
  if (text === '∅') return { status: 200, shows: false };
  if (!/^[2-5]\d\d$/.test(text)) throw new Error(`"${text}" is no answer`);
  return { status: Number(text), shows: text.startsWith('2') };
}
