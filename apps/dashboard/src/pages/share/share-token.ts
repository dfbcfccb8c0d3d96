/** Whether the address has come to name a share link other than the one that is shown. */
export function isOtherToken(hash: string, shown: string): boolean {
  const token = hash.slice(1);
  return token !== '' && token !== shown;
}
