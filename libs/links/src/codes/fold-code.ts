/**
 * One spelling for codes that differ in the case of letters only, as `lower(code)` of the "C" collation has it in
 * PostgreSQL: A to Z, so that no language's rules, and no version of them, decide where a visitor goes.
 */
export function foldCode(code: string): string {
  return code.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
