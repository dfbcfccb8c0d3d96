import type { KafkaAdmin } from '@hopcount/kafka';
import type { Queryable } from '@hopcount/postgres';

const READ = 'SELECT cluster_id FROM ledger_cluster';
const FRESH_MS = 30_000;

/**
 * What to say where visits go to another Kafka cluster than the one this database counts from. Redirects do not depend on it: who
 * asks is told what was found last, and causes the next look when that is old.
 */
export function watchCluster(
  database: Pick<Queryable, 'query'>,
  admin: Pick<KafkaAdmin, 'clusterId'>,
  nowMs: () => number = () => performance.now(),
): () => string | undefined {
  let found: string | undefined;
  let lookedAtMs = -Infinity;
  const look = async () => {
    const [rows, id] = await Promise.all([database.query<{ cluster_id: string }>(READ), admin.clusterId()]);
    const bound = rows[0]?.cluster_id ?? id;
    found =
      bound === id
        ? undefined
        : `visits go to the Kafka cluster ${id}, but this database counts those of cluster ${bound}: correct KAFKA_BROKERS or DATABASE_URL`;
  };
  return () => {
    if (nowMs() - lookedAtMs >= FRESH_MS) {
      lookedAtMs = nowMs();
      // Kafka or PostgreSQL is away, which other checks say, or the schema is older than this.
      look().catch(() => undefined);
    }
    return found;
  };
}
