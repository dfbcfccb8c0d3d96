/** Takes back what was done to one; undefined where nothing was. */
export type Undo = (() => Promise<unknown>) | undefined;

export interface BulkResult<Item> {
  done: { item: Item; undo: Undo }[];
  failed: { item: Item; error: unknown }[];
}

/** Asked at a time: few enough that the pages that others look at are answered meanwhile. */
const AT_A_TIME = 4;

interface Options<Item> {
  onProgress: (result: BulkResult<Item>) => void;
  /** What was not begun by then is left alone. */
  signal: AbortSignal;
}

/** Does it to each by itself: one that fails is reported, and the others are done. */
export async function runBulk<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<Undo>,
  { onProgress, signal }: Options<Item>,
): Promise<void> {
  const result: BulkResult<Item> = { done: [], failed: [] };
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) {
      try {
        result.done.push({ item, undo: await change(item) });
      } catch (error) {
        result.failed.push({ item, error });
      }
      onProgress({ done: [...result.done], failed: [...result.failed] });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
