// `events`: what operators did, as the ledger has it on record, and whether the record is still what was written.

import { type Command, InvalidArgumentError } from 'commander';
import { EXIT } from '../app/exit.ts';
import { systemClock } from '../clock/system.ts';
import type { OperatorAction, StoredAction } from '../domain/action.ts';
import { actionsFault } from '../journal/action-chain.ts';
import { readErrands } from '../journal/errands.ts';
import { readLedgerCopy } from '../journal/ledger/copy.ts';
import { loadKillSettings } from '../settings/load.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { harmless } from './text.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type EventsOptions = RunOptions & { readonly last: number; readonly json?: boolean };

const LAST = 50;
/** All that a ledger keeps. */
const ALL = 100_000;

export function eventsCommand(io: CliIo, finish: Finish): Command {
  const base = command(
    'events',
    'what operators did, oldest first: who, when, what and with which result; beside a running daemon too',
  );
  return withRunOptions(base.requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option('--last <count>', 'so many of the latest', parseCount, LAST)
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: EventsOptions) => {
      const configured = loadKillSettings({ file: options.config, env: io.env });
      const { journal } = (await chosenRun(io, configured, options)).settings;
      const read = { path: journal.path, clock: systemClock() };
      const found = await readLedgerCopy(read, (ledger) => ledger.actions(ALL));
      const errands = await readErrands(journal.path);
      if (found === 'absent' && errands.length === 0) {
        complain(
          io,
          `there is no ledger at ${journal.path}: nothing has run with this configuration`,
        );
        finish(EXIT.failed);
        return;
      }
      const actions = found === 'absent' ? [] : found;
      const shown = actions.slice(-options.last);
      const fault = actionsFault(actions);
      const json = { fault, actions: shown, errands };
      printResult(io, { json, lines: lines(shown, errands) }, options);
      if (fault === undefined) return;
      complain(io, `THE RECORD IS DAMAGED: ${fault}`);
      finish(EXIT.failed);
    });
}

function lines(
  actions: readonly StoredAction[],
  errands: readonly OperatorAction[],
): readonly string[] {
  if (actions.length + errands.length === 0) return ['nothing is on record'];
  return [
    ...actions.map((each) => line(String(each.number), each)),
    ...errands.map((each) => `${line('-', each)}; the next start takes it on record`),
  ];
}

function line(
  number: string,
  { atMs, by, action, target, result, detail }: OperatorAction,
): string {
  const at = new Date(atMs).toISOString();
  const what = `${action} of ${target} by ${by}: ${result}`;
  return harmless(`${number} ${at} ${what}${detail === '' ? '' : `; ${detail}`}`);
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('not a count of 1 or more');
  return Number(text);
}
