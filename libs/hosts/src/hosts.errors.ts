/** Codes of the errors this library throws (as AppError). */
export const HOSTS_ERRORS = {
  'host-sum-too-large': 'A sum over hosts could pass 2^53, beyond which it would not be exact; nothing was added.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof HOSTS_ERRORS, string> {}
}
