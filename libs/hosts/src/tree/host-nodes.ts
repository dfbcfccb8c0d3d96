import { REST_HOST } from '@hopcount/contracts';
import { isSuffix } from '../names/site-of.js';
import { NodeRecords } from './columns.js';
import { LabelPool } from './label-pool.js';
import { HASH_START, hashOn, NameIndex } from './name-index.js';

/** Of a node's record. */
export const PARENT = 0;
const [LABEL, HASH, FIRST_CHILD, NEXT_SIBLING, CHILD_COUNT, SITE, ID] = [1, 2, 3, 4, 5, 6, 7] as const;
/** Above all names; its name is ''. */
export const ROOT = 0;
/** In place of a site: the node is a public suffix, or the root, and each of its children is a site. */
const NO_SITE = -1;

/** How many children have a node of their own; the others are one: `~rest`. */
export interface ChildLimits {
  ofNames: number;
  /** Of public suffixes, of `~ip` and at the top, where most children are sites of others. */
  ofSuffixes: number;
}

/** The names of a tree: who is below whom. Nodes are numbered in the order they came, parents before children; none goes. */
export class HostNodes {
  readonly records = new NodeRecords();
  readonly #pool = new LabelPool();
  readonly #index = new NameIndex(
    (node) => this.records.get(node, HASH),
    (node, name) => this.#isNamed(node, name),
  );
  /** Sites with public suffixes below them, such as `amazonaws.com`: the topmost of those. */
  readonly #suffixesBelow = new Map<number, number[]>();
  /** Nodes with a child `~rest`. */
  readonly #lumped = new Map<number, number>();
  #size = 0;

  constructor(readonly limits: ChildLimits) {
    this.#append(-1, '', HASH_START);
    this.records.set(ROOT, SITE, NO_SITE);
  }

  /** The root is one of them. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.records.bytes + this.#pool.bytes + this.#index.bytes;
  }

  /** 0: it came without one. */
  idOf(node: number): number {
    return this.records.get(node, ID);
  }

  setId(node: number, id: number): void {
    this.records.set(node, ID, id);
  }

  /** -1: of the root. */
  parentOf(node: number): number {
    return this.records.get(node, PARENT);
  }

  /** The last one that came; 0: none. */
  firstChildOf(node: number): number {
    return this.records.get(node, FIRST_CHILD);
  }

  nextSiblingOf(node: number): number {
    return this.records.get(node, NEXT_SIBLING);
  }

  /** Without `~rest`. */
  childCountOf(node: number): number {
    return this.records.get(node, CHILD_COUNT);
  }

  /** Whether it is a site, or (as a public suffix) belongs to none. */
  isSite(node: number): boolean {
    const site = this.records.get(node, SITE);
    return site === node || site === NO_SITE;
  }

  /** Whether its children are sites. */
  isSuffix(node: number): boolean {
    return this.records.get(node, SITE) === NO_SITE;
  }

  /** Public suffixes below a site: what is below them is not of it. */
  suffixesBelow(site: number): readonly number[] {
    return this.#suffixesBelow.get(site) ?? [];
  }

  /** The node's child `~rest`; undefined: all of its children have nodes. */
  restOf(node: number): number | undefined {
    return this.#lumped.get(node);
  }

  isRest(node: number): boolean {
    const parent = this.records.get(node, PARENT);
    return parent !== -1 && this.#lumped.get(parent) === node;
  }

  nameOf(node: number): string {
    let name = node === ROOT ? '' : this.#pool.get(this.records.get(node, LABEL));
    for (let above = this.records.get(node, PARENT); above > ROOT; above = this.records.get(above, PARENT)) {
      name = `${this.#pool.get(this.records.get(above, LABEL))}.${name}`;
    }
    return name;
  }

  find(name: string): number | undefined {
    if (name === '') return ROOT;
    const node = this.#index.find(hashOn(HASH_START, name, 0, name.length), name);
    return node === ROOT ? undefined : node;
  }

  /** The name, or else the nearest above it that is known. */
  nearest(name: string): number {
    for (let above = name; ; above = above.slice(0, Math.max(0, above.lastIndexOf('.')))) {
      const node = this.find(above);
      if (node !== undefined) return node;
    }
  }

  /** The name's node, made with those above it; that of `~rest` where a parent has too many children. */
  place(name: string): number {
    const known = this.find(name);
    if (known !== undefined) return known;
    let node = ROOT;
    let hash = HASH_START;
    for (let from = 0; from <= name.length;) {
      const dot = name.indexOf('.', from);
      const to = dot === -1 ? name.length : dot;
      hash = hashOn(hash, name, Math.max(0, from - 1), to);
      const upToHere = name.slice(0, to);
      const child = this.#index.find(hash, upToHere);
      const label = name.slice(from, to);
      if (child === ROOT && label !== REST_HOST && this.#isFull(node)) return this.placeRest(node);
      node = child === ROOT ? this.#make(node, label, hash, upToHere) : child;
      from = to + 1;
    }
    return node;
  }

  placeRest(parent: number): number {
    const known = this.#lumped.get(parent);
    if (known !== undefined) return known;
    const above = this.nameOf(parent);
    return this.place(above === '' ? REST_HOST : `${above}.${REST_HOST}`);
  }

  #isFull(node: number): boolean {
    const limit = this.isSuffix(node) ? this.limits.ofSuffixes : this.limits.ofNames;
    return this.records.get(node, CHILD_COUNT) >= limit;
  }

  #make(parent: number, label: string, hash: number, name: string): number {
    const node = this.#append(parent, label, hash);
    this.#index.add(hash, node);
    this.records.set(node, NEXT_SIBLING, this.records.get(parent, FIRST_CHILD));
    this.records.set(parent, FIRST_CHILD, node);
    if (label === REST_HOST) this.#lumped.set(parent, node);
    else this.records.set(parent, CHILD_COUNT, this.records.get(parent, CHILD_COUNT) + 1);
    this.#findSite(node, label !== REST_HOST && isSuffix(name));
    return node;
  }

  #findSite(node: number, isOfSuffix: boolean): void {
    const above = this.records.get(this.records.get(node, PARENT), SITE);
    if (isOfSuffix && above !== NO_SITE) {
      this.#suffixesBelow.set(above, [...(this.#suffixesBelow.get(above) ?? []), node]);
    }
    const site = above === NO_SITE ? node : above;
    this.records.set(node, SITE, isOfSuffix ? NO_SITE : site);
  }

  #append(parent: number, label: string, hash: number): number {
    const node = this.#size;
    this.#size += 1;
    this.records.set(node, PARENT, parent);
    this.records.set(node, LABEL, this.#pool.add(label));
    this.records.set(node, HASH, hash);
    return node;
  }

  #isNamed(node: number, name: string): boolean {
    let end = name.length;
    for (let at = node; at !== ROOT; at = this.records.get(at, PARENT)) {
      const length = this.#pool.matchBefore(this.records.get(at, LABEL), name, end);
      if (length === -1) return false;
      end -= length + 1;
    }
    return end === -1;
  }
}
