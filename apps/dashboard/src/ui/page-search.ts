/** The page of a list in the address. */
interface PageSearch {
  page?: number;
}

export function parsePage({ page }: Record<string, unknown>): PageSearch {
  return Number(page) > 1 ? { page: Math.floor(Number(page)) } : {};
}
