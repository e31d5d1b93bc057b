// `export`: recorded market data as the tables that others read.

import { type Command, InvalidArgumentError } from 'commander';
import { exportRecording } from '../app/export.ts';
import { command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';

type ExportCommandOptions = {
  readonly out: string;
  readonly format: 'csv' | 'parquet' | 'both';
  readonly exchange: string;
  readonly json?: boolean;
};

const PROGRESS_MS = 2_000;

export function exportCommand(io: CliIo, _finish: Finish): Command {
  return command('export', 'recorded books and trades as CSV and Parquet, in columns of Tardis.dev')
    .argument('<recording>', 'folder of `record`, or a file of frames (.ndjson.gz)')
    .requiredOption('--out <folder>', 'where incremental_book_L2 and trades are written')
    .option('--format <format>', 'csv, parquet or both', parseFormat, 'both')
    .option('--exchange <name>', 'what stands in the column `exchange`', parseExchange, 'venue')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (recording: string, options: ExportCommandOptions) => {
      const { out, format, exchange } = options;
      let shownMs = performance.now();
      const exported = await exportRecording({
        ...{ recording, out, exchange },
        formats: format === 'both' ? ['csv', 'parquet'] : [format],
        onProgress: (rows) => {
          if (performance.now() - shownMs < PROGRESS_MS) return;
          shownMs = performance.now();
          io.stderr.write(`${rows} rows\n`);
        },
      });
      const { files, bookRows, trades, badLines, badLineExamples } = exported;
      if (badLines > 0) {
        complain(io, `${badLines} lines could not be read, as ${badLineExamples[0] ?? ''}`);
      }
      const lines = [`${bookRows} changes of books, ${trades} trades`, ...files];
      printResult(io, { json: exported, lines }, options);
    });
}

function parseFormat(text: string): 'csv' | 'parquet' | 'both' {
  if (text === 'csv' || text === 'parquet' || text === 'both') return text;
  throw new InvalidArgumentError('csv, parquet or both');
}

function parseExchange(text: string): string {
  if (/^[\w.-]{1,60}$/.test(text)) return text;
  throw new InvalidArgumentError('not a name of letters, digits, points and dashes');
}
