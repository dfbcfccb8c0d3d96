/** DuckDB takes names of files and options only as literals. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(quote).join(', ')}]`;
}
