import { createHmac } from 'node:crypto';

import type { FeedLimits } from '@hopcount/ledger';
import { type NotFoundRedirects, notFoundDefaults } from '@hopcount/links';
import { forwardedScheme, type KeyPeriods, secretsOf } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import type { ApiConfig } from './api.config.js';

type SettingsConfig = Parameters<typeof notFoundDefaults>[0] &
  Parameters<typeof secretsOf>[0] &
  Pick<
    ApiConfig,
    | 'hostCountsTopic'
    | 'newHostsPerDay'
    | 'hostCountsPerDay'
    | 'hostMemoryNames'
    | 'reportingTimeZone'
    | 'consumerGroup'
    | 'visitsTopic'
    | 'publicScheme'
    | 'slots'
    | 'apiPublicUrl'
    | 'trustedProxies'
    | 'visitorIp'
  >;

/** What handlers need of the configuration; a class, so that Nest can inject it by type. */
export class Settings {
  /** IANA zone of dates that come without an offset, unless the request names another one. */
  readonly reportingTimeZone: string;
  /** Who counts visits, and where they are published. */
  readonly counting: { group: string; topic: string };
  readonly publicScheme: 'http' | 'https';
  readonly hasSlots: boolean;
  /** Whether visitors' whole addresses are kept; else nobody may ask for what is left of them. */
  readonly hasIps: boolean;
  /** Of which visits hashes of people can be compared. */
  readonly keyPeriods: KeyPeriods;
  /** Origin (and path) clients reach this API at, if it was told. */
  readonly apiUrl: string | undefined;

  /** Of the pages that this API is reached by, if it was told. */
  readonly apiOrigin: string | undefined;

  /** Of domains that have none. */
  readonly notFoundRedirects: NotFoundRedirects;

  readonly hostCountsTopic: string;
  /** Of each API key or user. */
  readonly feedLimits: FeedLimits;
  /** Whose totals are in memory, if these are all; 0: none are. */
  readonly hostMemoryNames: number;

  readonly #trustedProxies: SettingsConfig['trustedProxies'];
  readonly #digestKey: string;

  constructor(config: SettingsConfig) {
    this.reportingTimeZone = config.reportingTimeZone;
    this.counting = { group: config.consumerGroup, topic: config.visitsTopic };
    this.publicScheme = config.publicScheme;
    this.hostCountsTopic = config.hostCountsTopic;
    this.feedLimits = { newHostsPerDay: config.newHostsPerDay, hostCountsPerDay: config.hostCountsPerDay };
    this.hostMemoryNames = config.hostMemoryNames;
    this.apiUrl = config.apiPublicUrl;
    this.apiOrigin = this.apiUrl === undefined ? undefined : new URL(this.apiUrl).origin;
    this.notFoundRedirects = notFoundDefaults(config);
    this.hasIps = config.visitorIp === 'full';
    this.hasSlots = config.slots !== 'off';
    this.#trustedProxies = config.trustedProxies;
    ({ hashing: this.#digestKey, keyPeriods: this.keyPeriods } = secretsOf(config));
  }

  /** What clients of a request reach this API at: told, or as they asked, by https where a trusted proxy says so. */
  urlFor({ raw, protocol, host }: FastifyRequest): string {
    if (this.apiUrl !== undefined) return this.apiUrl;
    const scheme = forwardedScheme(raw.socket.remoteAddress, raw.headers['x-forwarded-proto'], this.#trustedProxies);
    return `${scheme ?? protocol}://${host}`;
  }

  /** Tells secrets apart that may be guessed, without a way to try guesses for whoever has not ours. */
  digestOf(secret: string): string {
    return createHmac('sha256', this.#digestKey).update('hopcount told apart/').update(secret).digest('base64url');
  }

  /** Printed as written: an emoji code stays an emoji. */
  publicUrl(domain: string, path: string): string {
    return `${this.publicScheme}://${domain}${path}`;
  }
}
