/** Around the lines, in pixels, and which points are named below them. */
export interface Room {
  left: number;
  right: number;
  everyNth: number;
}

interface Measures {
  widthOf: (text: string) => number;
  /** Of the whole chart. */
  width: number;
}

/** Axes end at a round number, which is at most so much more than the greatest one. */
const ROUNDED_UP = 1.3;
const LEAST_PX = 12;
const BETWEEN_PX = 14;

/** What names of points and numbers beside the axis need. */
export function roomFor(
  points: readonly string[],
  nameOf: (count: number) => string,
  most: number,
  { widthOf, width }: Measures,
): Room {
  const pointWidth = Math.max(0, ...points.map(widthOf));
  const numberWidth = widthOf(nameOf(Math.ceil(Math.max(most, 1) * ROUNDED_UP)));
  const left = Math.ceil(Math.max(numberWidth + BETWEEN_PX, pointWidth / 2, LEAST_PX));
  const right = Math.ceil(Math.max(pointWidth / 2, LEAST_PX));
  const atOnce = Math.max(2, Math.floor((width - left - right) / (pointWidth + BETWEEN_PX)) + 1);
  return { left, right, everyNth: Math.max(1, Math.ceil((points.length - 1) / (atOnce - 1))) };
}
