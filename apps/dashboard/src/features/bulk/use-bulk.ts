import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';

import { GROUPS } from '../administration/groups.js';
import { LINKS, type ShortUrl } from '../links/links.js';
import type { BulkAction } from './bulk-actions.js';
import { type BulkResult, runBulk, type Undo } from './run-bulk.js';

export interface BulkRun extends BulkResult<ShortUrl> {
  action: BulkAction;
  total: number;
  isUndo: boolean;
  isRunning: boolean;
}

/** One change of many links at a time: how far it is, what failed, and how it is taken back. */
export function useBulk() {
  const client = useQueryClient();
  const [run, setRun] = useState<BulkRun>();
  const stop = useRef<AbortController>(undefined);

  const start = async (
    about: Pick<BulkRun, 'action' | 'isUndo'>,
    links: readonly ShortUrl[],
    change: (link: ShortUrl) => Promise<Undo>,
  ) => {
    const begun = { ...about, total: links.length, isRunning: true, done: [], failed: [] };
    stop.current = new AbortController();
    setRun(begun);
    let last: BulkResult<ShortUrl> = begun;
    const onProgress = (result: BulkResult<ShortUrl>) => setRun({ ...begun, ...(last = result) });
    await runBulk(links, change, { onProgress, signal: stop.current.signal });
    await Promise.all([LINKS, GROUPS].map((subject) => client.invalidateQueries({ queryKey: [subject] })));
    setRun({ ...begun, ...last, isRunning: false });
  };

  const apply = (action: BulkAction, links: readonly ShortUrl[]) =>
    void start({ action, isUndo: false }, links, action.change);
  const takeBack = ({ action, done }: BulkRun) => {
    const undos = new Map(done.map(({ item, undo }) => [item, undo]));
    void start({ action, isUndo: true }, [...undos.keys()], async (link) => {
      await undos.get(link)?.();
      return undefined;
    });
  };
  return { run, apply, takeBack, stop: () => stop.current?.abort(), close: () => setRun(undefined) };
}
