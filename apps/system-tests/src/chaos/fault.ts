import type { Topology } from './services.js';
import type { World } from './world.js';

/** What shows that a fault happened: a pass without it would prove nothing. */
export interface Proof {
  /** What was counted, e.g. "visits that went to the spool". */
  what: string;
  /** Must be above 0. */
  count: number;
}

export interface Injection {
  /** Ends the fault; left out when it is over by itself. Also called when the run is ended early. */
  heal?(): Promise<void>;
  /** Asked once everything acknowledged before the heal is counted. */
  proof(): Promise<Proof>;
}

export interface Fault {
  readonly name: string;
  /** Rows of the fault list it stands for. */
  readonly rows: readonly string[];
  /**
   * Absent: of both. A fault that stops, kills or cuts off *the* broker, *the* Redis or *the* PostgreSQL is of `single`: where there
   * are several, others take over, and faults of some of the nodes (`faults/nodes.ts`) stand in its place.
   */
  readonly topology?: Topology;
  /** Brings it about under load and resolves when it has lasted long enough. */
  inject(world: World): Promise<Injection>;
}
