import { type NotFoundRedirects, notFoundDefaults } from '@hopcount/links';

import type { ApiConfig } from './api.config.js';

type SettingsConfig = Parameters<typeof notFoundDefaults>[0] &
  Pick<ApiConfig, 'reportingTimeZone' | 'publicScheme' | 'slots' | 'apiPublicUrl'>;

/** What handlers need of the configuration; a class, so that Nest can inject it by type. */
export class Settings {
  /** IANA zone of dates that come without an offset, unless the request names another one. */
  readonly reportingTimeZone: string;
  readonly publicScheme: 'http' | 'https';
  readonly hasSlots: boolean;
  /** Origin (and path) clients reach this API at, if it was told. */
  readonly apiUrl: string | undefined;

  /** Of the pages that this API is reached by, if it was told. */
  readonly apiOrigin: string | undefined;

  /** Of domains that have none. */
  readonly notFoundRedirects: NotFoundRedirects;

  constructor(config: SettingsConfig) {
    this.reportingTimeZone = config.reportingTimeZone;
    this.publicScheme = config.publicScheme;
    this.apiUrl = config.apiPublicUrl;
    this.apiOrigin = this.apiUrl === undefined ? undefined : new URL(this.apiUrl).origin;
    this.notFoundRedirects = notFoundDefaults(config);
    this.hasSlots = config.slots !== 'off';
  }

  /** Printed as written: an emoji code stays an emoji. */
  publicUrl(domain: string, path: string): string {
    return `${this.publicScheme}://${domain}${path}`;
  }
}
