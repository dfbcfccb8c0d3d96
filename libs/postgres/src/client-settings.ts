import type { Actor } from '@hopcount/runtime';

import { BoundedClient } from './bounded-client.js';

export interface DatabaseOptions {
  url: string;
  /** A standby of it, asked by transactions that may lag; it may be away, now and later. */
  replicaUrl?: string | undefined;
  /** Sessions that write nothing, also where the server would. */
  isReadOnly?: boolean;
  applicationName: string;
  poolSize?: number;
  /** Per statement, kept by the server; a hung statement is an outage like any other. 0: no limit on either side. */
  statementTimeoutMs?: number;
  /** How much later than `statementTimeoutMs` an answer may come before the connection counts as dead. */
  answerGraceMs?: number;
  /** A session silent for so long inside a transaction is ended by the server: its locks are others' waits. */
  idleInTransactionTimeoutMs?: number;
  connectTimeoutMs?: number;
  /** Lifetime of a session. An older one is closed when it returns to the pool. */
  sessionLifeSeconds?: number;
  /** Who changes what these connections change, where no request does; absent: the program. */
  actor?: Actor;
}

export const POOL_SIZE = 10;
export const CONNECT_TIMEOUT_MS = 3_000;
/** For the triggers of the audit log. */
export const ACTOR_SETTING = 'hopcount.actor';
/** A new connection takes 30 to 50 ms to know tables and functions: those that a burst of requests needs stay for the next one. */
const IDLE_CONNECTION_MS = 600_000;
/**
 * Vacuum cannot freeze a temporary table, so a session that lives for weeks would hold back the database's transaction ids, of
 * which PostgreSQL has two billion.
 */
const SESSION_LIFE_SECONDS = 3_600;

/**
 * Of every session. Compiling a statement takes longer than nearly all of ours run, and its costs are guessed too high over
 * partitions.
 */
const SESSION = { TimeZone: 'UTC', jit: 'off', default_transaction_isolation: 'read committed' };

/** What a role has whose sessions no start-up parameters reach, for statements outside of transactions. */
export const ROLE_SETTINGS: Readonly<Record<string, string>> = {
  ...SESSION,
  statement_timeout: '30s',
  idle_in_transaction_session_timeout: '60s',
};

/** `DATABASE_URL=…?pgbouncer=true`: in transaction mode it takes no start-up parameters, and a session is another one each time. */
export function isBehindPgbouncer(url: string): boolean {
  return URL.canParse(url) && new URL(url).searchParams.get('pgbouncer') === 'true';
}

/** What every connection of this library is opened with, and how long its pool keeps it. */
export function clientSettings(options: DatabaseOptions) {
  const timeouts = {
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 60_000,
  };
  return {
    Client: BoundedClient,
    answerGraceMs: options.answerGraceMs ?? 5_000,
    keepsPrepared: !isBehindPgbouncer(options.url),
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    maxLifetimeSeconds: options.sessionLifeSeconds ?? SESSION_LIFE_SECONDS,
    ...(isBehindPgbouncer(options.url) ? eachTransaction(timeouts, options.actor) : eachSession(timeouts, options)),
    keepAlive: true,
    // Linux waits 2 h before its first probe; an idle connection may be dead for as long.
    keepAliveInitialDelayMillis: 10_000,
  };
}

type Timeouts = Record<'statement_timeout' | 'idle_in_transaction_session_timeout', number>;

/** Said once a connection: with each transaction it would be more to read. */
function eachSession(timeouts: Timeouts, { actor, isReadOnly }: Pick<DatabaseOptions, 'actor' | 'isReadOnly'>) {
  const settings = { ...SESSION, ...(isReadOnly === true && { default_transaction_read_only: 'on' }) };
  const session = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`);
  return { ...timeouts, options: session.join(' ') + actorOption(actor) };
}

/**
 * Said with the statement that begins it. What is outside of one has what ROLE_SETTINGS say, and the client's own limit; of all
 * settings pgbouncer keeps the zone alone by client, whatever session it comes to.
 */
function eachTransaction(timeouts: Timeouts, actor: Actor | undefined) {
  return {
    answerWithinMs: timeouts.statement_timeout,
    firstStatement: `SET TimeZone = '${SESSION.TimeZone}'`,
    transactionSettings: {
      ...{ TimeZone: SESSION.TimeZone, jit: SESSION.jit, ...timeouts },
      ...(actor !== undefined && { [ACTOR_SETTING]: JSON.stringify(actor) }),
    },
  };
}

/** As a session's setting, in which spaces and backslashes stand behind a backslash. */
function actorOption(actor: Actor | undefined): string {
  if (actor === undefined) return '';
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const ascii = JSON.stringify(actor).replace(/[^\x20-\x7e]/g, escape);
  return ` -c ${ACTOR_SETTING}=${ascii.replace(/[\\ ]/g, '\\$&')}`;
}
