/** `1 visit`, `2 visits`. */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${BigInt(count) === 1n ? one : many}`;
}
