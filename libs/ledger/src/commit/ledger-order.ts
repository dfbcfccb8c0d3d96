/** Each event once, in the order of the ledger's key: for UUIDv7 the id's own order. */
export function inLedgerOrder<Event extends { eventId: string }>(events: readonly Event[]): Event[] {
  const byId = new Map(events.map((event) => [event.eventId, event]));
  return [...byId.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}
