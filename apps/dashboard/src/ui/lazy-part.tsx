import { Skeleton } from '@mantine/core';
import {
  type ComponentType,
  type FunctionComponent,
  startTransition,
  useDeferredValue,
  useEffect,
  useState,
} from 'react';

import { ErrorState } from './ErrorState.js';
import { type Later, loadLater } from './load-later.js';

/** In place of a component until it is loaded; where it cannot be, it is said, and tried again. */
function partOf<Props extends object>({ load, loaded }: Later<Props>, height: number): FunctionComponent<Props> {
  return function Part(props: Props) {
    const [Loaded, setLoaded] = useState(loaded);
    const [error, setError] = useState<unknown>();
    const tryToLoad = () => {
      setError(undefined);
      void load().then((component) => startTransition(() => setLoaded(() => component)), setError);
    };
    // Once: what comes after a failure, somebody asks for.
    useEffect(() => {
      if (loaded() === undefined) tryToLoad();
    }, []);
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (error !== undefined) return <ErrorState error={error} onRetry={tryToLoad} />;
    return height === 0 ? null : <Skeleton height={height} aria-busy="true" />;
  };
}

/**
 * A part of a page that is loaded when it is shown.
 * @param height kept free until then, in pixels, so that nothing moves
 */
export function lazyPart<Name extends string, Props extends object>(
  file: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  height = 0,
): ComponentType<Props> {
  return partOf(loadLater(file, name), height);
}

const PAGE_HEIGHT_PX = 600;

/**
 * A page, which the router loads before it leads there. It has no props, which its type does not say: what a page shows hangs
 * on the routes' types, and those on their pages.
 */
export function lazyPage<Name extends string>(
  file: () => Promise<Record<Name, unknown>>,
  name: Name,
  { isFirst = false } = {},
) {
  const later = loadLater(file as () => Promise<Record<Name, ComponentType<object>>>, name, { isFirst });
  const preload = async () => {
    // Drawing it loads it again, and shows the error.
    if (later.loaded() === undefined) await later.load().catch(() => undefined);
  };
  return Object.assign(inPieces(partOf<object>(later, PAGE_HEIGHT_PX)), { preload });
}

let isStarted = false;
/** Room to scroll to where somebody was before the page was loaded again. */
const ANY_HEIGHT = '1000vh';

/**
 * The router has its first page rendered in one go, which keeps a slow processor from answering anybody meanwhile: it renders
 * nothing, and React the page afterwards, piece by piece. Later pages take the place of others at once.
 */
function inPieces(Page: FunctionComponent): FunctionComponent {
  return function InPieces() {
    const isShown = useDeferredValue(true, isStarted);
    useEffect(() => {
      isStarted ||= isShown;
    }, [isShown]);
    return isShown ? <Page /> : <div style={{ height: ANY_HEIGHT }} aria-busy="true" />;
  };
}
