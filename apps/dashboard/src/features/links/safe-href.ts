/** Addresses of visitors and links are opened only where a browser goes somewhere with them, and runs nothing. */
export function safeHref(address: string | null): string | undefined {
  if (address === null || !URL.canParse(address)) return undefined;
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}
