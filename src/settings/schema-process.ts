// The configuration of the process itself: where it listens, what it keeps, what it says.

import { flag, oneOf, section, text, texts, whole } from './keys.ts';

export const HTTP = section('Metrics, health and control over HTTP.', {
  host: text({
    doc: 'Address to listen on; anything but loopback is reachable from elsewhere.',
    unit: 'host',
    rule: 'an IP address or a host name',
    pattern: /^[0-9A-Za-z.:-]{1,253}$/,
    default: '127.0.0.1',
    applies: 'restart',
  }),
  port: whole({
    doc: 'Port to listen on; 0 takes a free one.',
    unit: 'port',
    min: 0,
    max: 65_535,
    default: 9_464,
    applies: 'restart',
  }),
  allowedHosts: texts({
    doc: 'Further names under which clients may call, as a browser page could abuse any other.',
    unit: 'host names',
    rule: 'a host name without port',
    pattern: /^[0-9A-Za-z.-]{1,253}$/,
    lengthMax: 20,
    applies: 'restart',
  }),
});

export const JOURNAL = section('What must outlive the process.', {
  path: text({
    doc: 'File of the journal; the lock, the kill latch and recordings stand beside it.',
    unit: 'path',
    rule: 'a path of at most 1000 characters',
    pattern: /^[^\0]{1,1000}$/,
    default: 'data/bookend.db',
    applies: 'restart',
  }),
  keepDays: whole({
    doc: 'What looks back is kept for so many days: fills and settlements in the ledger (30 days at least, whatever this says), and the files of past days (orders, prices, uptime), which `bookend orders`, `pnl` and `report` read.',
    unit: 'days',
    min: 1,
    max: 4_000,
    default: 400,
    applies: 'restart',
  }),
  ledgerMbMax: whole({
    doc: 'Room of the ledger: a fill with its settlement takes some 400 bytes, so that a year of 6500 a day fits into the default. Over it the oldest days of fills go first, but none of the last 30.',
    unit: 'MB',
    min: 10,
    max: 1_000_000,
    default: 1_000,
    applies: 'restart',
  }),
  daysMbMax: whole({
    doc: 'Room of the files of past days, beside the ledger; over it, the oldest orders go first, then the oldest days.',
    unit: 'MB',
    min: 10,
    max: 1_000_000,
    default: 1_000,
    applies: 'restart',
  }),
  recordInputs: flag({
    doc: 'Write every input of the core, and its commands, to files beside the journal, for `bookend replay`.',
    default: false,
    applies: 'restart',
  }),
  recordFileMbMax: whole({
    doc: 'Size at which a recording continues in a new file.',
    unit: 'MB',
    min: 1,
    max: 10_000,
    default: 64,
    applies: 'restart',
  }),
  recordFilesMax: whole({
    doc: 'Files of a recording that are kept; the oldest goes first. A run can be replayed while its first file is there.',
    unit: 'files',
    min: 2,
    max: 1_000,
    default: 8,
    applies: 'restart',
  }),
});

export const LOGGING = section('Log lines on stderr.', {
  level: oneOf({
    doc: 'Least severe line that is written.',
    words: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    applies: 'live',
  }),
  format: oneOf({
    doc: 'JSON lines for machines, or plain lines for people.',
    words: ['json', 'text'],
    default: 'json',
    applies: 'restart',
  }),
});
