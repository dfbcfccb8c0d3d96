interface Page<Item> {
  data: Item[];
  pagination: { totalItems: number; pagesCount: number };
}

export interface SdkVisit {
  eventId: string;
  potentialBot: boolean;
  redirectUrl: string;
}

interface SdkShortUrl {
  shortCode: string;
  visitsSummary: object;
}

interface SdkRedirectRules {
  defaultLongUrl: string;
  redirectRules: { longUrl: string; priority?: number; conditions: object[] }[];
}

interface ShortUrlId {
  shortCode: string;
}

/** What specs call of `ShlinkApiClient`. */
export interface ShlinkSdk {
  health(options?: { domain: string }): Promise<object>;
  mercureInfo(): Promise<{ mercureHubUrl?: string; token?: string }>;
  createShortUrl(data: object): Promise<SdkShortUrl>;
  listShortUrls(query: object): Promise<Page<SdkShortUrl>>;
  updateShortUrl(id: ShortUrlId, data: object): Promise<SdkShortUrl>;
  getShortUrl(id: ShortUrlId): Promise<SdkShortUrl>;
  deleteShortUrl(id: ShortUrlId): Promise<void>;
  getShortUrlRedirectRules(id: ShortUrlId): Promise<SdkRedirectRules>;
  setShortUrlRedirectRules(id: ShortUrlId, data: Pick<SdkRedirectRules, 'redirectRules'>): Promise<SdkRedirectRules>;
  getShortUrlVisits(id: ShortUrlId, query?: object): Promise<Page<SdkVisit>>;
  deleteShortUrlVisits(id: ShortUrlId): Promise<object>;
  listTags(): Promise<Page<string>>;
  tagsStats(): Promise<Page<{ tag: string; shortUrlsCount: number; visitsSummary: object }>>;
  editTag(names: { oldName: string; newName: string }): Promise<object>;
  deleteTags(tags: string[]): Promise<object>;
  listDomains(): Promise<{
    data: { domain: string; isDefault: boolean; redirects: object }[];
    defaultRedirects: object;
  }>;
  editDomainRedirects(data: object): Promise<object>;
  getTagVisits(tag: string, query?: object): Promise<Page<SdkVisit>>;
  getDomainVisits(domain: string, query?: object): Promise<Page<SdkVisit>>;
  getNonOrphanVisits(query?: object): Promise<Page<SdkVisit>>;
  getOrphanVisits(query?: object): Promise<Page<SdkVisit>>;
  getVisitsOverview(): Promise<{ nonOrphanVisits: object }>;
}

/** Shlink's own client. Its types import each other without extensions, which TypeScript does not follow for Node. */
export async function openShlinkSdk(server: { baseUrl: string; apiKey: string }): Promise<ShlinkSdk> {
  const [sdk, node] = (await Promise.all([
    import('@shlinkio/shlink-js-sdk'),
    import('@shlinkio/shlink-js-sdk/node'),
  ])) as unknown as [
    { ShlinkApiClient: new (http: object, server: { baseUrl: string; apiKey: string }) => ShlinkSdk },
    { NodeHttpClient: new () => object },
  ];
  return new sdk.ShlinkApiClient(new node.NodeHttpClient(), server);
}
