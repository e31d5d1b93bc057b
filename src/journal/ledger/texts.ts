// Texts of a database, looked at before the library reads them: it ends the process over one that is no UTF-8, as one
// flipped bit on a disk leaves it. No start could say that its ledger is damaged, and a kill of own orders would end
// before its cancel.

import { isUtf8 } from 'node:buffer';

/** Of a text with more than plain letters, as one that is no UTF-8 has: the database tells, and most have none. */
const IS_ODD = "GLOB '*[^' || char(1) || '-' || char(127) || ']*'";

/** Names of tables and columns are of plain letters, all of ours: the library reads them, too. */
export const ODD_NAMES = `SELECT count(*) FROM sqlite_master WHERE name || ifnull(sql, '') ${IS_ODD}`;

/** Of each row of a query with such texts the bytes of all of its texts, with blanks between. */
export function oddTexts(query: string, columns: readonly string[]): string {
  const texts = columns.map(
    (name) => `CASE typeof("${name}") WHEN 'text' THEN "${name}" ELSE '' END`,
  );
  const rows = `SELECT ${texts.join(" || ' ' || ")} AS texts FROM (${query})`;
  return `SELECT CAST(texts AS BLOB) FROM (${rows}) WHERE texts ${IS_ODD}`;
}

/** @throws {Error} A row that cannot be read is no absent row. */
export function assertText(bytes: unknown): void {
  if (bytes instanceof Uint8Array && isUtf8(bytes)) return;
  throw new Error('a text in it is malformed');
}
