import { REST_HOST, UNKNOWN_HOST } from '@hopcount/contracts';
import { parentOf } from '@hopcount/hosts';

/**
 * A peer's `~rest` is of names it does not tell apart. Here they count at the name above them: a `~rest` of our own would keep names that come later
 * from being told apart here.
 */
export function nameAboveRest(name: string): string {
  const isRest = name === REST_HOST || name.endsWith(`.${REST_HOST}`);
  return isRest ? (parentOf(name) ?? UNKNOWN_HOST) : name;
}
