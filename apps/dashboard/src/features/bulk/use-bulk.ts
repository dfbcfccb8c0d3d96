import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { GROUPS } from '../administration/groups.js';
import { LINKS, type ShortUrl } from '../links/links.js';
import type { BulkAction } from './bulk-actions.js';
import { type BulkResult, runBulk, takingBack } from './run-bulk.js';

export interface BulkRun extends BulkResult<ShortUrl> {
  action: BulkAction;
  change: BulkAction['change'];
  total: number;
  isUndo: boolean;
  isRunning: boolean;
}

type Begun = Pick<BulkRun, 'action' | 'change' | 'total' | 'isUndo' | 'done'>;

/** One change of many links at a time: how far it is, what failed, and how it is taken back. */
export function useBulk() {
  const client = useQueryClient();
  const [run, setRun] = useState<BulkRun>();
  const stop = useRef<AbortController>(undefined);

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
