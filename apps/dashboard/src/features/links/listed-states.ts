/** As the api has them; what is in the recycle bin is in a list of its own. */
export const LISTED_STATES = ['active', 'disabled', 'not-yet-valid', 'expired', 'limit-reached'] as const;
export type ListedState = (typeof LISTED_STATES)[number];
