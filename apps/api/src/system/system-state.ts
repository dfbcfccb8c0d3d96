import { ArchiveManifest } from '@hopcount/archive';
import { sourceVersion, type System, VERSION_MARK } from '@hopcount/contracts';
import type { KafkaAdmin } from '@hopcount/kafka';
import {
  countDeadLetters,
  countUncounted,
  measureHostDrift,
  measureSlotDrift,
  readCheckpoints,
  readLag,
  readLosses,
  summariseAudits,
  totalPending,
  VerificationRequests,
} from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';
import { inTime, type Logger } from '@hopcount/runtime';
import { describeFreshness } from '@hopcount/statistics';

import type { ApiConfig } from '../api.config.js';
import { toVerification } from './to-verification.js';

const READ_HEAT = loadSql(import.meta.url, 'sql/read-heat.sql');
const READ_SURGES = `SELECT (SELECT until FROM host_surge_search LIMIT 1) AS until,
  (SELECT count(*)::integer FROM host_surges WHERE alert_id IS NOT NULL) AS open`;
const READ_PROCESSES = `SELECT application_name AS name, count(*)::integer AS connections,
    extract(epoch FROM clock_timestamp() - max(state_change))::float8 AS "silentSeconds"
  FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'hopcount-%'
  GROUP BY 1 ORDER BY 1`;
/** Three are missed by one that is not there any more. */
const READ_GATEWAYS = `SELECT source, spooled_visits::float8 AS "spooledVisits",
    extract(epoch FROM clock_timestamp() - said_at)::float8 AS "silentSeconds"
  FROM gateway_states WHERE spooled_visits > 0 OR said_at > now() - interval '100 seconds'
  ORDER BY spooled_visits DESC, source LIMIT 200`;
const FRESH_MS = 3_000;
const PART_WAIT_MS = 5_000;
const HOTTEST = 10;
const DAY_MS = 86_400_000;

/** Each is read apart from the others: what does not answer leaves the rest to be seen. */
type Parts = Omit<System, 'version' | 'at' | 'unknown'>;

/** The state of everything, looked at once in three seconds however many ask. */
export class SystemState {
  #known: { at: number; state: Promise<System> } | undefined;
  /** What nobody waits for any more is not asked a second time beside it. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly kafka: KafkaAdmin,
    private readonly config: ApiConfig,
    private readonly logger: Logger,
  ) {}

  read(): Promise<System> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#known.at > FRESH_MS) this.#known = { at: now, state: this.#look() };
    return this.#known.state;
  }

  async #look(): Promise<System> {
    const at = new Date();
    const unknown: string[] = [];
    const readers: Record<keyof Parts, () => Promise<unknown>> = this.#readers(at.getTime());
    const parts = Object.entries(readers).map(async ([name, read]) => {
      const part = inTime(this.#once(name, read), PART_WAIT_MS).catch((error: unknown) => {
        this.logger.warn({ part: name, reason: (error as Error).message }, 'a part of the state is not known');
        unknown.push(name);
        return null;
      });
      return [name, await part] as const;
    });
    const known = Object.fromEntries(await Promise.all(parts)) as unknown as Parts;
    return { version: this.config.hopcountVersion, at: at.toISOString(), unknown: unknown.sort(), ...known };
  }

  #readers(nowMs: number): { [Name in keyof Parts]: () => Promise<Parts[Name]> } {
    const { database, kafka, config } = this;
    const from = nowMs - DAY_MS;
    return {
      counting: () => this.#readCounting(),
      uncounted: async () => ({
        since: new Date(from).toISOString(),
        visits: await countUncounted(database, { from, to: nowMs }),
      }),
      lost: () => this.#readLosses(),
      deadLetters: () => countDeadLetters(database, kafka, config),
      audits: () => summariseAudits(database, nowMs),
      drift: () => this.#readDrift(),
      heat: async () => ({ links: await database.query(READ_HEAT, [HOTTEST]) }),
      archive: () => new ArchiveManifest(database).summary(),
      surges: () => this.#readSurges(),
      processes: () => database.query(READ_PROCESSES),
      gateways: () => this.#readGateways(),
      verification: () => this.#readVerification(),
    };
  }

  #once<Answer>(name: string, read: () => Promise<Answer>): Promise<Answer> {
    const asked = this.#underWay.get(name) as Promise<Answer> | undefined;
    if (asked !== undefined) return asked;
    const asking = read().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, asking);
    return asking;
  }

  async #readCounting(): Promise<Parts['counting']> {
    const { database, kafka, config } = this;
    const { consumerGroup: group, visitsTopic: topic } = config;
    const logEndReadAt = Date.now();
    const lag = await readLag({ config, database, admin: kafka });
    const checkpoints = await readCheckpoints(database, group, topic);
    const logEnd = lag.map(({ partition, logEnd: high }) => ({ partition, high }));
    const { countedUpTo } = describeFreshness({ checkpoints, logEnd, logEndReadAt });
    return {
      countedUpTo: countedUpTo === null ? null : new Date(countedUpTo).toISOString(),
      pending: Number(totalPending(lag)),
      consumers: await kafka.groupState(group),
      partitions: lag.map(({ partition, logEnd: end, checkpoint, pending, lost, lastRecordAgeMs }) => ({
        partition,
        logEnd: end.toString(),
        checkpoint: checkpoint?.toString() ?? null,
        pending: Number(pending),
        lost: Number(lost),
        lastRecordAgeMs,
      })),
    };
  }

  async #readLosses(): Promise<Parts['lost']> {
    const { consumerGroup: group, visitsTopic: topic } = this.config;
    const { records, foundAt } = await readLosses(this.database, { group, topic });
    return { records, foundAt: foundAt?.toISOString() ?? null };
  }

  async #readDrift(): Promise<Parts['drift']> {
    const slots = this.config.slots === 'off' ? null : (await measureSlotDrift(this.database)).drift;
    const { visits: hosts, checksums: hostChecksums } = await measureHostDrift(this.database);
    return { slots, hosts, hostChecksums };
  }

  async #readVerification(): Promise<Parts['verification']> {
    const [newest] = await new VerificationRequests(this.database).list(1);
    return newest === undefined ? null : toVerification(newest);
  }

  async #readGateways(): Promise<Parts['gateways']> {
    const rows = await this.database.query<{ source: string; spooledVisits: number; silentSeconds: number }>(
      READ_GATEWAYS,
    );
    return rows.map(({ source, ...rest }) => {
      const version = sourceVersion(source);
      const name = version === undefined ? source : source.slice(0, -version.length - VERSION_MARK.length);
      return { name, version: version ?? null, ...rest };
    });
  }

  async #readSurges(): Promise<Parts['surges']> {
    const [row] = await this.database.query<{ until: Date | null; open: number }>(READ_SURGES);
    return { open: row?.open ?? 0, searchedUpTo: row?.until?.toISOString() ?? null };
  }
}
