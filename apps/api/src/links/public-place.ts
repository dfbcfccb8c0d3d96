/** How the outside reaches the gateway. */
export class PublicPlace {
  constructor(readonly scheme: 'http' | 'https') {}

  /** Printed as written: an emoji code stays an emoji. */
  shortUrl(link: { domain: string; code: string }): string {
    return `${this.scheme}://${link.domain}/${link.code}`;
  }
}
