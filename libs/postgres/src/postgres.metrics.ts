import { Gauge, type Registry } from '@hopcount/runtime';

/** Connections of a pool now. */
export interface PoolUse {
  busy: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
  limit: number;
}

interface Pool {
  readonly poolUse: PoolUse;
}

/** Of each pool of the process, by a fixed name; read when it is asked for. */
export function measurePools(registry: Registry, pools: Record<string, Pool>): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (use: PoolUse) => number) =>
    new Gauge({
      ...{ name, help, registers, labelNames: ['pool'] },
      collect() {
        for (const [pool, { poolUse }] of Object.entries(pools)) this.set({ pool }, read(poolUse));
      },
    });
  gauge('hopcount_postgres_connections_busy', 'Connections to PostgreSQL in use.', ({ busy }) => busy);
  gauge('hopcount_postgres_connections_idle', 'Open connections to PostgreSQL that nobody uses.', ({ idle }) => idle);
  gauge('hopcount_postgres_connections_limit', 'Most connections this pool opens.', ({ limit }) => limit);
  gauge(
    'hopcount_postgres_statements_waiting',
    'Statements and transactions that wait for a connection: all are in use, or PostgreSQL takes none.',
    ({ waiting }) => waiting,
  );
}

/** What pg's pool tells of itself. */
export function useOf(
  pool: { totalCount: number; idleCount: number; waitingCount: number } | undefined,
  limit: number,
): PoolUse {
  const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pool ?? {};
  return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit };
}
