import { whenIdle } from './idle.js';

/** Nobody waits longer for the next one, however busy the browser is. */
const AT_THE_LATEST_MS = 150;
/** Nor for whatever goes before them. */
const HELD_FOR_MS = 2_000;

let last: Promise<void> = Promise.resolve();
const held = new Set<Promise<void>>();

/** Parts of a page come one after the other: all at once would keep a slow processor from answering whoever clicks meanwhile. */
export function nextTurn(): Promise<void> {
  last = last.then(async () => {
    await Promise.all(held);
    await whenIdle(AT_THE_LATEST_MS);
  });
  return last;
}

/** Of those that have not come yet, for what takes the longest: the page answers the sooner the earlier that is over. @returns ends it */
export function holdTurns(): () => void {
  let release = () => {};
  const holding = new Promise<void>((resolve) => (release = resolve));
  const late = setTimeout(release, HELD_FOR_MS);
  held.add(holding);
  void holding.then(() => {
    clearTimeout(late);
    held.delete(holding);
  });
  return release;
}
