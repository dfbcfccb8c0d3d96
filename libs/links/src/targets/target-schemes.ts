import { z } from 'zod';

export const DEFAULT_TARGET_SCHEMES: readonly string[] = ['http', 'https'];

/** What a browser runs or shows as a page of its own: an address of these is no place a link could lead to. */
const NEVER = ['javascript', 'data', 'vbscript', 'blob', 'filesystem', 'about', 'view-source', 'file', 'intent'];

/** The setting TARGET_SCHEMES: schemes of the addresses links may lead to. */
export const targetSchemes = z
  .string()
  .default(DEFAULT_TARGET_SCHEMES.join(','))
  .transform((text) => text.split(',').map((scheme) => scheme.trim().toLowerCase().replace(/:$/, '')))
  .refine((schemes) => schemes.every((scheme) => /^[a-z][a-z0-9+.-]*$/.test(scheme)), 'not a list of schemes')
  .refine((schemes) => !schemes.some((scheme) => NEVER.includes(scheme)), `may hold none of ${NEVER.join(', ')}`);
