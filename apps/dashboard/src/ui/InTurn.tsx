import { type ReactNode, startTransition, useEffect, useRef, useState } from 'react';

import { nextTurn } from './turns.js';
import { useWanted } from './wanted.js';

interface Props {
  /** Kept free until then, in pixels, so that nothing moves. */
  height: number;
  children: ReactNode;
}

/** A part of a page that is shown once it is wanted, in its turn. */
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
