import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react';

import { whenIdle } from './load-rest.js';
import { useWanted } from './wanted.js';

/** Nobody waits longer for the next one, however busy the browser is. */
const AT_THE_LATEST_MS = 150;

interface Props {
  /** Kept free until then, in pixels, so that nothing moves. */
  height: number;
  children: ReactNode;
}

/**
 * A part of a page that is shown once it is wanted, one part after the other: all at once would keep a slow processor from
 * answering whoever clicks meanwhile.
 */
export function InTurn({ height, children }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const isWanted = useWanted(element);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    let isGone = false;
    if (isWanted) void nextTurn().then(() => isGone || startTransition(() => setShown(true)));
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return isShown ? children : <div ref={element} style={{ height }} aria-busy="true" />;
}

let last: Promise<void> = Promise.resolve();

function nextTurn(): Promise<void> {
  last = last.then(() => whenIdle(AT_THE_LATEST_MS));
  return last;
}
