/** What was done to one. */
export interface Outcome {
  /** False: it was as wanted before, or is what somebody else made of it since. */
  isChanged: boolean;
  /** Takes it back. */
  undo?: () => Promise<Outcome>;
}

export interface BulkResult<Item> {
  done: readonly ({ item: Item } & Outcome)[];
  failed: readonly { item: Item; error: unknown }[];
}

/** Asked at a time: few enough that the pages that others look at are answered meanwhile. */
const AT_A_TIME = 4;

interface Options<Item> {
  /** What a run before did: its result goes on from there. */
  before: BulkResult<Item>['done'];
  onProgress: (result: BulkResult<Item>) => void;
  /** What was not begun by then is left alone. */
  signal: AbortSignal;
}

/** Does it to each by itself: one that fails is reported, and the others are done. */
export async function runBulk<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<Outcome>,
  { before, onProgress, signal }: Options<Item>,
): Promise<BulkResult<Item>> {
  let result: BulkResult<Item> = { done: before, failed: [] };
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined && !signal.aborted; item = left.shift()) {
      // Others go on while this one is awaited: `result` is read afterwards.
      try {
        const outcome = await change(item);
        result = { ...result, done: [...result.done, { item, ...outcome }] };
      } catch (error) {
        result = { ...result, failed: [...result.failed, { item, error }] };
      }
      onProgress(result);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return result;
}

/** Another run, over what this one changed. */
export function takingBack<Item>(done: BulkResult<Item>['done']) {
  const undos = new Map(done.flatMap(({ item, undo }) => (undo === undefined ? [] : [[item, undo] as const])));
  return {
    items: [...undos.keys()],
    change: async (item: Item): Promise<Outcome> => (await undos.get(item)?.()) ?? { isChanged: false },
  };
}
