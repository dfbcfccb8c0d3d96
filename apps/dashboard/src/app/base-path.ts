/** Where the api, and with it these pages, begin: `/`, or a path that a proxy puts before them. */
export const BASE_PATH = new URL(document.baseURI).pathname.replace(/\/+$/, '');
