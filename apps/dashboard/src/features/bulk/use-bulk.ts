import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState } from 'react';

import { GROUPS } from '../administration/groups.js';
import { LINKS, type ShortUrl } from '../links/links.js';
import type { BulkAction } from './bulk-actions.js';
import { type BulkResult, type Outcome, runBulk, takingBack } from './run-bulk.js';

export interface BulkRun extends BulkResult<ShortUrl> {
  action: BulkAction;
  change: (link: ShortUrl) => Promise<Outcome>;
  total: number;
  isUndo: boolean;
  isRunning: boolean;
}

type Begun = Pick<BulkRun, 'action' | 'change' | 'total' | 'isUndo' | 'done'>;

export type Bulk = ReturnType<typeof useBulkRuns>;

export const BulkContext = createContext<Bulk | undefined>(undefined);

/** What the shell holds: it is there on every page. */
export function useBulk(): Bulk {
  const bulk = useContext(BulkContext);
  if (bulk === undefined) throw new Error('there is no BulkProvider around this');
  return bulk;
}

/** One change of many links at a time: how far it is, what failed, and how it is taken back. */
export function useBulkRuns() {
  const client = useQueryClient();
  const [run, setRun] = useState<BulkRun>();
  const stop = useRef<AbortController>(undefined);
  // Nothing goes on in the name of somebody who has signed out.
  useEffect(() => () => stop.current?.abort(), []);
  useStayWhile(run?.isRunning === true);

  const start = async (about: Begun, links: readonly ShortUrl[]) => {
    const begun = { ...about, failed: [], isRunning: true };
    stop.current = new AbortController();
    setRun(begun);
    const onProgress = (result: BulkResult<ShortUrl>) => setRun({ ...begun, ...result });
    const { signal } = stop.current;
    const result = await runBulk(links, begun.change, { before: begun.done, onProgress, signal });
    await Promise.all([LINKS, GROUPS].map((subject) => client.invalidateQueries({ queryKey: [subject] })));
    setRun({ ...begun, ...result, isRunning: false });
  };

  return {
    run,
    apply: (action: BulkAction, links: readonly ShortUrl[]) =>
      void start({ action, change: action.change, total: links.length, isUndo: false, done: [] }, links),
    /** Goes on with what was done before, so that all of it can be taken back. */
    retry: ({ failed, ...before }: BulkRun) =>
      void start(
        before,
        failed.map(({ item }) => item),
      ),
    takeBack: ({ action, done }: BulkRun) => {
      const { items, change } = takingBack(done);
      void start({ action, change, total: items.length, isUndo: true, done: [] }, items);
    },
    stop: () => stop.current?.abort(),
    close: () => setRun(undefined),
  };
}

/** Who closes the window is asked first: what is not begun would not be done, and what is done could not be taken back. */
function useStayWhile(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isRunning]);
}
