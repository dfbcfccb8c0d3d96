/** Holds the document, which exists only once every route is known. */
export class OpenApiDocument {
  #json = '{}';

  set(document: object): void {
    this.#json = JSON.stringify(document);
  }

  json(): string {
    return this.#json;
  }
}
