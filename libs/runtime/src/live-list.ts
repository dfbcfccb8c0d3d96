/** Takes the first that `isIt` says out of a short list; undefined: none. Of few items an array does what LiveList does. */
export function takeFirst<Item>(items: Item[], isIt: (item: Item) => boolean): Item | undefined {
  const place = items.findIndex(isIt);
  return place < 0 ? undefined : items.splice(place, 1)[0];
}

/** Where an item stands in the one list that it is in. */
export interface Listed {
  place: number;
}

/**
 * Things that come and go, in no order, each added and removed in constant time.
 *
 * Why no Set: V8 moves what a Set or Map holds to another table every few changes, and each dead table points to the next. Once
 * one of them has become old, the young collector takes all that follow it, and what they held, for alive: whatever passes
 * through is promoted and stays until the next full collection (decision 0070).
 */
export class LiveList<Item extends Listed> implements Iterable<Item> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.push(item) - 1;
  }

  /** May be repeated. */
  delete(item: Item): void {
    if (this.#items[item.place] !== item) return;
    const last = this.#items.pop() as Item;
    if (last === item) return;
    this.#items[item.place] = last;
    last.place = item.place;
  }

  /** While it is walked, the one that was given last may be deleted. */
  *[Symbol.iterator](): Iterator<Item> {
    for (let at = this.#items.length - 1; at >= 0; at -= 1) {
      const item = this.#items[at];
      if (item !== undefined) yield item;
    }
  }
}
