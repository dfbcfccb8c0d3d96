import { foldCode } from '../codes/fold-code.js';

/** Gateways believe in a filter for so long after they asked PostgreSQL whether it is whole. */
export const BELIEVED_MS = 1_000;
/** So long after PostgreSQL was told that it lacks something, nobody does any more. */
export const FORGOTTEN_MS = 1_500;

/** The same for every domain, so that none has to be looked at when it is renamed, and in every case of letters. */
export const codeEntry = (code: string) => `code:${foldCode(code)}`;

/** @param urlHash of the long URL in its normal form, as PostgreSQL writes bytes */
export const urlEntry = (urlHash: string) => `url:${urlHash}`;
