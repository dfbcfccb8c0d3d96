interface Piece {
  text: string;
  href?: string;
}

const LICENCES: Record<string, string> = { 'CC BY 4.0': 'https://creativecommons.org/licenses/by/4.0/' };
const LINKED = /(https:\/\/[^\s()]+|CC BY 4\.0)/;

/** The line with which the api names whose data places are, in pieces: the licence of the data asks for links to its maker and to itself. */
export function attributionPieces(line: string): Piece[] {
  const pieces = line.split(LINKED).map((text, nth): Piece => {
    // What the expression captures stands between what it does not.
    if (nth % 2 === 0) return { text };
    return { text: text.replace('https://', ''), href: LICENCES[text] ?? text };
  });
  return pieces.filter(({ text }) => text !== '');
}
