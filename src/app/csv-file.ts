// A table as packed comma-separated values. Times are microseconds since 1970, as Tardis.dev writes them. A file has
// its name once it is whole.

import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import { BotError } from '../domain/errors.ts';
import type { ParquetColumn, ParquetValue } from './parquet.ts';

/** Text that is held, and then packed together. */
const CHUNK_CHARS = 65_536;

export class CsvFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #gzip: Gzip = createGzip();
  readonly #written: Promise<void>;
  #failure: unknown;
  #text: string;

  constructor(path: string, columns: readonly ParquetColumn[]) {
    this.#path = path;
    this.#draft = `${path}.${process.pid}.draft`;
    this.#text = `${columns.map(({ name }) => name).join(',')}\n`;
    const file = this.#gzip.pipe(createWriteStream(this.#draft));
    this.#written = finished(file).catch((error: unknown) => {
      this.#failure = error;
      this.#gzip.destroy();
    });
  }

  /** One value for each column. @throws {BotError} `settings.invalid` where it cannot be written. */
  async add(row: readonly ParquetValue[]): Promise<void> {
    this.#text += `${row.map(cell).join(',')}\n`;
    if (this.#text.length < CHUNK_CHARS) return;
    await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    this.#gzip.end();
    await this.#written;
    this.#check();
    renameSync(this.#draft, this.#path);
  }

  /** Leaves no file. */
  abandon(): void {
    this.#gzip.destroy();
    rmSync(this.#draft, { force: true });
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    this.#check();
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written]);
    this.#check();
  }

  #check(): void {
    if (this.#failure === undefined) return;
    const why = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
    throw new BotError('settings.invalid', `${this.#path}: cannot be written (${why})`);
  }
}

/** No text of a row has a comma: words, and ids that are hex. */
function cell(value: ParquetValue): string {
  if (value instanceof Date) return `${value.getTime()}000`;
  return value === undefined ? '' : String(value);
}
