import type { HostScope } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';

import { CHILDREN, IdMap, NodeSums, OWN, SUBTREE } from './columns.js';
import { type ChildLimits, HostNodes, PARENT } from './host-nodes.js';

export interface HostSums {
  /** 0: the name came without one. */
  id: number;
  /** By class. */
  visits: number[];
  /** Names of one label more that are known, whichever was asked for. */
  children: number;
  /** Some of those below it have no sums of their own: they are in those of `below` and `subtree`, and not in `children`. */
  isLumped: boolean;
}

/** Of the longest list at a public suffix: a site each. */
const LIMITS: ChildLimits = { ofNames: 10_000, ofSuffixes: 1_000_000 };

/**
 * Visits by host, of one kind: each name's own, those below it and those of its children, by class. Packed into typed arrays,
 * which a garbage collector does not walk through. Names are as normaliseHost keeps them (`reversed`); '' is above all.
 * Sums are exact or refused: all that was ever added stays within 2⁵³.
 */
export class HostTree {
  /** For the questions in list-hosts.ts. */
  readonly nodes: HostNodes;
  readonly #ids = new IdMap();
  /** By class. */
  readonly #sums: NodeSums[];
  #added = 0;

  /** @param classes how many classes of visits there are; a class nobody uses takes no memory */
  constructor(
    readonly classes: number,
    limits: Partial<ChildLimits> = {},
  ) {
    this.nodes = new HostNodes({ ...LIMITS, ...limits });
    this.#sums = Array.from({ length: classes }, () => new NodeSums());
  }

  get bytes(): number {
    return [this.nodes, this.#ids, ...this.#sums].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** A name and its id in PostgreSQL, before anything is added to that. Twice is as once. */
  define(id: number, name: string): void {
    const node = this.nodes.place(name);
    this.#ids.set(id, node);
    if (!this.nodes.isRest(node) || name === this.nodes.nameOf(node)) this.nodes.setId(node, id);
  }

  /**
   * @param visits also negative: of a purge
   * @returns false: the id is not defined, and nothing was added
   * @throws AppError `host-sum-too-large`
   */
  add(id: number, visitClass: number, visits: number): boolean {
    const node = this.#ids.get(id);
    if (node === undefined) return false;
    this.#book(node, visitClass, visits);
    return true;
  }

  /** @throws AppError `host-sum-too-large` */
  addByName(name: string, visitClass: number, visits: number): void {
    this.#book(this.nodes.find(name) ?? this.nodes.place(name), visitClass, visits);
  }

  /**
   * Visits of a name that is to have no node, such as one not seen for long: they are in the sums of all above it.
   * @throws AppError `host-sum-too-large`
   */
  lump(name: string, visitClass: number, visits: number): void {
    const known = this.nodes.find(name);
    this.#book(known ?? this.nodes.placeRest(this.nodes.nearest(name)), visitClass, visits);
  }

  /**
   * A lumped name is seen again: it gets a node, with what was lumped of it, and nothing above it changes. What was lumped
   * of names below it is in its own `~rest` from then on. Lumped names above it are revived before.
   * @param visits by class
   */
  revive(id: number, name: string, visits: { self: readonly number[]; below: readonly number[] }): void {
    if (this.nodes.find(name) === undefined) {
      const rest = this.nodes.placeRest(this.nodes.nearest(name));
      this.#shift(rest, this.nodes.place(name), visits.self);
      if (visits.below.some((count) => count !== 0)) {
        this.#shift(rest, this.nodes.placeRest(this.nodes.nearest(name)), visits.below);
      }
    }
    this.define(id, name);
  }

  /** Undefined: the name has no node; whether it may have been lumped, isLumped says. */
  read(name: string, scope: HostScope): HostSums | undefined {
    const node = this.nodes.find(name);
    return node === undefined ? undefined : this.sumsOf(node, scope);
  }

  /** Whether a name without a node may have visits that are lumped. */
  isLumped(name: string): boolean {
    return this.nodes.find(name) === undefined && this.nodes.restOf(this.nodes.nearest(name)) !== undefined;
  }

  sumsOf(node: number, scope: HostScope): HostSums {
    return {
      id: this.nodes.idOf(node),
      visits: Array.from({ length: this.classes }, (_, visitClass) => this.visitsOf(node, visitClass, scope)),
      children: this.nodes.childCountOf(node),
      isLumped: this.nodes.restOf(node) !== undefined,
    };
  }

  visitsOf(node: number, visitClass: number, scope: HostScope): number {
    const sums = this.#sums[visitClass];
    if (sums === undefined) return 0;
    switch (scope) {
      case 'self':
        return sums.get(node, OWN);
      case 'subtree':
        return sums.get(node, SUBTREE);
      case 'below':
        return sums.get(node, SUBTREE) - sums.get(node, OWN);
      case 'children': {
        // `~rest` is no name, but was added as one.
        const rest = this.nodes.restOf(node);
        return sums.get(node, CHILDREN) - (rest === undefined ? 0 : sums.get(rest, OWN));
      }
    }
  }

  #book(node: number, visitClass: number, visits: number): void {
    const added = this.#added + Math.abs(visits);
    if (!Number.isSafeInteger(added) || this.#sums[visitClass] === undefined) {
      throw new AppError('host-sum-too-large', 'The sum over all hosts would not be exact.', {
        details: { visits, visitClass },
      });
    }
    this.#added = added;
    this.#move(node, visitClass, visits);
  }

  #shift(from: number, to: number, visits: readonly number[]): void {
    visits.forEach((count, visitClass) => {
      this.#move(from, visitClass, -count);
      this.#move(to, visitClass, count);
    });
  }

  #move(node: number, visitClass: number, visits: number): void {
    this.#sums[visitClass]?.add(node, visits, this.nodes.records, PARENT);
  }
}
