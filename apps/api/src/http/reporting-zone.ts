/** IANA zone of dates that come without an offset, unless the request names another one. */
export class ReportingZone {
  constructor(readonly name: string) {}
}
