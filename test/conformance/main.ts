// The suite as a program, against any base address:
//
//   npm run conformance -- --base-url https://… --ws-url wss://… [--event <slug>] [--destructive]
//
// Credentials come from VENUE_API_KEY, VENUE_API_SECRET and VENUE_API_PASSPHRASE, or from
// VENUE_CREDENTIALS_FILE; without them the cards of an account are skipped. A second account, from
// VENUE_SECOND_…, lets two traders meet. Without addresses an
// embedded venue is started, and every card runs. With `--breakages` each breakage is looked for instead.

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Target } from '../../src/cli/doctor/card.ts';
import { targetOf } from '../../src/cli/doctor/target.ts';
import { credentialsProvider } from '../../src/settings/credentials.ts';
import { Lab } from './bench/lab.ts';
import { type Keys, RawRest } from './bench/raw-rest.ts';
import { RawSocket } from './bench/raw-socket.ts';
import { BRISK_PINGS } from './bench/start.ts';
import { hunt } from './breakages/hunt.ts';
import { BREAKAGES } from './breakages/list.ts';
import { CARDS } from './cards.ts';
import {
  anywhereLines,
  coverageFigures,
  coverageLines,
  coverageOf,
  oneSided,
  type Result,
} from './coverage.ts';
import { runCards } from './run.ts';

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

type Options = {
  readonly baseUrl: string | undefined;
  readonly wsUrl: string | undefined;
  readonly event: string | undefined;
  readonly isDestructive: boolean;
  readonly spec: string;
  readonly json: boolean;
  readonly breakages: boolean;
  /** Breakages to look for; all of them when empty. */
  readonly names: readonly string[];
};

type Address = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly keys: Keys | undefined;
  readonly second: Keys | undefined;
};

const SECOND = 'VENUE_SECOND_';

/** From the folder of the project, where npm starts scripts. */
const SPEC = '../shared/spec/venue-interface.md';

function optionsOf(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      'base-url': { type: 'string' },
      'ws-url': { type: 'string' },
      event: { type: 'string' },
      spec: { type: 'string', default: SPEC },
      destructive: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      breakages: { type: 'boolean', default: false },
    },
  });
  return {
    baseUrl: values['base-url'],
    wsUrl: values['ws-url'],
    event: values.event,
    isDestructive: values.destructive,
    spec: values.spec,
    json: values.json,
    breakages: values.breakages,
    names: positionals,
  };
}

/** Where cards run: the addresses that were given, or an embedded venue of this process. */
async function addressOf(options: Options, lab: Lab): Promise<Address> {
  const { baseUrl, wsUrl } = options;
  if (baseUrl !== undefined && wsUrl !== undefined) {
    return { baseUrl, wsUrl, keys: keysFrom(process.env), second: keysFrom(secondOf(process.env)) };
  }
  if (baseUrl !== undefined || wsUrl !== undefined) {
    throw new RangeError('give --base-url and --ws-url, or neither for the embedded venue');
  }
  const { venue } = await lab.start({ sockets: BRISK_PINGS });
  const second = venue.openAccount('second', 10_000);
  return { baseUrl: venue.baseUrl, wsUrl: venue.wsUrl, keys: venue.account, second };
}

/** The variables of the second account, by the names of the first. */
function secondOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('VENUE_'));
  const second = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(SECOND) ? [[`VENUE_${name.slice(SECOND.length)}`, value] as const] : [],
  );
  return Object.fromEntries([...own, ...second]);
}

function keysFrom(env: NodeJS.ProcessEnv): Keys | undefined {
  const found = credentialsProvider({ env }).current();
  return (
    found && {
      apiKey: found.apiKey.reveal(),
      apiSecret: found.apiSecret.reveal(),
      apiPassphrase: found.apiPassphrase.reveal(),
    }
  );
}

async function runAt(address: Address, target: Target, options: Options): Promise<boolean> {
  const isEmbedded = options.baseUrl === undefined;
  const rest = new RawRest(address.baseUrl, address.keys);
  const { second } = address;
  const bench = {
    ...{ rest, target, keys: address.keys, nowMs: Date.now },
    second: second && { rest: new RawRest(address.baseUrl, second), keys: second },
    openSocket: async (options?: { readonly autoPong?: boolean }) =>
      await RawSocket.open(address.wsUrl, options),
  };
  const results = await runCards(CARDS, {
    bench,
    isDestructive: options.isDestructive || isEmbedded,
    hasLab: isEmbedded,
    onResult: (card, result) => {
      if (!options.json) tell(`${card.id}  ${resultText(result)}  ${card.title}`);
    },
  });
  rest.close();
  bench.second?.rest.close();
  if (options.json) tell(JSON.stringify(Object.fromEntries(results), undefined, 2));
  const isCovered = tellCoverage(options, results);
  const kinds = [...results.values()].map(({ kind }) => kind);
  const of = (wanted: Result['kind']) => kinds.filter((kind) => kind === wanted).length;
  for (const line of anywhereLines(CARDS)) complain(line);
  complain(`${of('passed')} cards passed, ${of('failed')} failed, ${of('skipped')} skipped`);
  return of('failed') === 0 && isCovered;
}

/** The table of the interface; a line that no card names fails the run. */
function tellCoverage(options: Options, results: ReadonlyMap<`C-${string}`, Result>): boolean {
  const path = resolve(options.spec);
  if (!existsSync(path)) {
    complain(`SKIPPED: ${path} is absent, so no coverage of the interface is computed (--spec)`);
    return true;
  }
  const coverage = coverageOf(readFileSync(path, 'utf8'), CARDS);
  if (!options.json) for (const line of ['', ...coverageLines(coverage, results)]) tell(line);
  if (!options.json)
    for (const line of oneSided(coverage, results)) tell(`confirmed of one side: ${line}`);
  complain(coverageFigures(coverage, results));
  for (const line of coverage.forgotten) complain(`no card covers ${line}`);
  for (const key of coverage.unknown) complain(`the interface has no ${key}`);
  return coverage.forgotten.length === 0 && coverage.unknown.length === 0;
}

/** @returns The exit code: 1 when a card does not catch the breakage that it is named for. */
async function lookForBreakages(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !BREAKAGES.some((each) => each.name === name));
  if (unknown.length > 0) throw new RangeError(`no breakage is called ${unknown.join(', ')}`);
  const wanted = BREAKAGES.filter(({ name }) => names.length === 0 || names.includes(name));
  const found = await hunt(wanted, {
    onFound: ({ breakage, isCaught, why }) => {
      const { name, row, card } = breakage;
      tell(
        `${isCaught ? 'caught' : 'MISSED'}  ${card}  ${name}  (${row})${isCaught ? '' : `: ${why}`}`,
      );
    },
  });
  const caught = found.filter(({ isCaught }) => isCaught).length;
  complain(`${caught} of ${found.length} breakages caught`);
  return caught === found.length ? EXIT.done : EXIT.failed;
}

function resultText(result: Result): string {
  switch (result.kind) {
    case 'passed':
      return result.found === undefined ? 'ok' : `ok (${result.found})`;
    case 'skipped':
      return `skipped (${result.detail})`;
    case 'failed':
      return `FAILED ${result.detail}`;
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`conformance: ${line}\n`);
}

async function main(): Promise<number> {
  const lab = new Lab();
  try {
    const options = optionsOf(process.argv.slice(2));
    if (options.breakages) return await lookForBreakages(options.names);
    if (options.names.length > 0)
      throw new RangeError(`${options.names.join(' ')}: nothing is called so`);
    const address = await addressOf(options, lab);
    const target = await targetOf(new RawRest(address.baseUrl), options.event);
    return (await runAt(address, target, options)) ? EXIT.done : EXIT.failed;
  } catch (error) {
    const isUsage = error instanceof TypeError || error instanceof RangeError;
    complain(error instanceof Error ? error.message : String(error));
    return isUsage ? EXIT.usage : EXIT.failed;
  } finally {
    await lab.stop();
  }
}

process.exitCode = await main();
