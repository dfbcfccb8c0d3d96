import { type Database, loadSql, postgresErrorCode, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError, inTime, isAppError } from '@hopcount/runtime';

const READ = 'SELECT cluster_id FROM ledger_cluster';
const BIND = 'INSERT INTO ledger_cluster (cluster_id) VALUES ($1) ON CONFLICT DO NOTHING';
const BIND_ANEW = 'UPDATE ledger_cluster SET cluster_id = $1, bound_at = now() WHERE cluster_id = $2';
const READ_FROM_START = loadSql(import.meta.url, 'sql/read-from-start.sql');
const FORGET_ATTEMPTS = 'DELETE FROM batch_attempts';
const FORGET_LETTERS = 'DELETE FROM dead_letter_states';
const RENEW_INCARNATION = `UPDATE ledger_incarnation
  SET incarnation = gen_random_uuid(), changed_at = now(), reason = 'cluster-bound'`;

/** As PostgreSQL says that a table is missing: a schema from before there was one. */
const UNDEFINED_TABLE = '42P01';
const START_PATIENCE_MS = 2_000;
const CONFLICT_RETRIES = 5;

/** First offset that the log of a partition still has. */
export interface LogStart {
  topic: string;
  partition: number;
  low: bigint;
}

/**
 * The Kafka cluster whose offsets this ledger's checkpoints are. In another cluster the same offsets are other records:
 * visits would be passed over, and foreign ones counted.
 */
export class LedgerCluster {
  constructor(private readonly database: Queryable) {}

  /** undefined: no consumer has started yet, or the schema is older than this. */
  async bound(): Promise<string | undefined> {
    try {
      return (await this.database.query<{ cluster_id: string }>(READ))[0]?.cluster_id;
    } catch (error) {
      if (postgresErrorCode(error) === UNDEFINED_TABLE) return undefined;
      throw error;
    }
  }

  /** @throws AppError `other-cluster`; passes while the ledger is not bound */
  readonly expect = async (clusterId: string): Promise<void> => {
    const bound = await this.bound();
    if (bound !== undefined && bound !== clusterId) throw otherCluster(bound, clusterId);
  };

  /**
   * As `expect`, but binds a ledger that is not bound. Of two that start at once the first INSERT wins: the other one waits
   * for its COMMIT and then reads what it wrote.
   */
  readonly bind = async (clusterId: string): Promise<void> => {
    if ((await this.bound()) === undefined) await this.database.query(BIND, [clusterId]);
    await this.expect(clusterId);
  };
}

/**
 * An operator's decision: the ledger counts from another cluster from now on, each partition from the start of its log there.
 * What is counted already is skipped by its key. Consumers of the cluster before are fenced by a new epoch; one that takes a
 * partition over afterwards asks for the cluster again behind that, and is refused.
 * @param from as it was when the operator decided; null: nobody had bound it, and whose offsets its checkpoints are is not known
 * @throws AppError `other-cluster`: somebody else bound it meanwhile
 */
export async function bindAnew(
  database: Database,
  { from, to, starts }: { from: string | null; to: string; starts: readonly LogStart[] },
): Promise<void> {
  const work = async (tx: Transaction) => {
    const { affected } = await (from === null ? tx.execute(BIND, [to]) : tx.execute(BIND_ANEW, [to, from]));
    if (affected !== 1) {
      throw new AppError('other-cluster', 'Somebody bound this database meanwhile: run the command again.');
    }
    await tx.query(READ_FROM_START, [
      starts.map(({ topic }) => topic),
      starts.map(({ partition }) => partition),
      starts.map(({ low }) => low.toString()),
    ]);
    // Both are about records by their offsets, and marks in Redis about visits of another log.
    await tx.query(FORGET_ATTEMPTS);
    await tx.query(FORGET_LETTERS);
    await tx.query(RENEW_INCARNATION);
  };
  await database.transaction(work, { conflictRetries: CONFLICT_RETRIES });
}

/**
 * At the start of a process. Kafka may be away: then its clients ask when they connect.
 * @throws AppError `other-cluster`
 */
export async function refuseOtherCluster(admin: { clusterId(): Promise<string> }): Promise<void> {
  await inTime(admin.clusterId(), START_PATIENCE_MS).catch((error: unknown) => {
    if (isAppError(error, 'other-cluster')) throw error;
  });
}

function otherCluster(bound: string, found: string): AppError {
  return new AppError(
    'other-cluster',
    `This database belongs to the Kafka cluster ${bound}, but the brokers are cluster ${found}: nothing was done. Correct KAFKA_BROKERS or DATABASE_URL; or, to count from cluster ${found} from now on, run \`hopcount cluster bind\`.`,
    { retryable: true, details: { bound, found } },
  );
}
