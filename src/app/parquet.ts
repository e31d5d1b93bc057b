// Tables as Parquet files, for DuckDB, pandas and their like. A file has its name once it is whole.

import { renameSync, rmSync } from 'node:fs';
import {
  type BasicType,
  type ColumnSource,
  fileWriter,
  ParquetWriter,
  schemaFromColumnData,
} from 'hyparquet-writer';
import { BotError } from '../domain/errors.ts';

export type ColumnKind = 'text' | 'number' | 'time' | 'flag';
export type ParquetColumn = { readonly name: string; readonly kind: ColumnKind };
/** Nothing of a kind is `undefined`; a time is whole milliseconds. */
export type ParquetValue = string | number | Date | boolean | undefined;

const TYPES: Readonly<Record<ColumnKind, BasicType>> = {
  text: 'STRING',
  number: 'DOUBLE',
  time: 'TIMESTAMP',
  flag: 'BOOLEAN',
};

/** Rows that are held, and then written together. */
const GROUP_ROWS = 100_000;

export class ParquetFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #columns: readonly ParquetColumn[];
  readonly #writer: ParquetWriter;
  #rows: (readonly ParquetValue[])[] = [];

  /** @throws {BotError} `settings.invalid` where it cannot be written. */
  constructor(path: string, columns: readonly ParquetColumn[]) {
    this.#path = path;
    this.#draft = `${path}.${process.pid}.draft`;
    this.#columns = columns;
    const schema = schemaFromColumnData({ columnData: this.#columnData() });
    try {
      this.#writer = new ParquetWriter({ writer: fileWriter(this.#draft), schema });
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** One value for each column. */
  async add(row: readonly ParquetValue[]): Promise<void> {
    this.#rows.push(row);
    if (this.#rows.length >= GROUP_ROWS) await this.#write();
  }

  /** Writes the rest, and gives the file its name. */
  async close(): Promise<void> {
    if (this.#rows.length > 0) await this.#write();
    try {
      await this.#writer.finish();
      renameSync(this.#draft, this.#path);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Leaves no file. */
  abandon(): void {
    rmSync(this.#draft, { force: true });
  }

  async #write(): Promise<void> {
    try {
      await this.#writer.write({ columnData: this.#columnData(), rowGroupSize: GROUP_ROWS });
    } catch (error) {
      throw this.#failed(error);
    }
    this.#rows = [];
  }

  #columnData(): ColumnSource[] {
    return this.#columns.map(({ name, kind }, index) => ({
      name,
      type: TYPES[kind],
      data: this.#rows.map((row) => row[index]),
      nullable: true,
    }));
  }

  #failed(cause: unknown): BotError {
    this.abandon();
    const why = cause instanceof Error ? cause.message : String(cause);
    const detail = `${this.#path}: cannot be written (${why})`;
    return new BotError('settings.invalid', detail, { cause });
  }
}

/** Writes a table of texts, as a spreadsheet has them. @throws {BotError} `settings.invalid` where it cannot be written. */
export async function writeParquet(
  path: string,
  columns: readonly ParquetColumn[],
  rows: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  const file = new ParquetFile(path, columns);
  for (const row of rows) {
    await file.add(columns.map(({ name, kind }) => parquetValue(kind, row[name] ?? '')));
  }
  await file.close();
}

/** An empty text is nothing, where its column has no texts. */
function parquetValue(kind: ColumnKind, text: string): ParquetValue {
  if (kind === 'text') return text;
  if (text === '') return undefined;
  if (kind === 'number') return Number(text);
  return kind === 'time' ? new Date(text) : text === 'true';
}
