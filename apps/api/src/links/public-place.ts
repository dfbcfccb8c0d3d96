/** How the outside reaches the gateway. */
export class PublicPlace {
  constructor(readonly scheme: 'http' | 'https') {}
}
