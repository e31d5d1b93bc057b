// `init`: five questions, and a commented configuration that `check` takes.

import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { loadStrategies, type StrategyMap } from '../app/strategies.ts';
import { packageFile } from '../app/version.ts';
import { type FirstAnswers, firstFile } from '../settings/first-file.ts';
import { parseSettings } from '../settings/load.ts';
import { replaceFile } from '../settings/replace-file.ts';
import { warningsOf } from '../settings/warnings.ts';
import { shellWord } from './again.ts';
import { type Asker, askerOf } from './ask.ts';
import { CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { firstAnswers, type InitFlags, type Put, type Question } from './init-questions.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { harmless, harmlessLines } from './text.ts';

type InitOptions = InitFlags & {
  readonly config: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
};

const DEFAULT_FILE = 'bookend.yaml';

export function initCommand(io: CliIo, finish: Finish): Command {
  return command('init', 'asks five questions and writes a commented configuration')
    .option(CONFIG_FLAG, 'file to write', DEFAULT_FILE)
    .option('--venue <venue>', 'paper, or the REST address of a venue')
    .option('--ws-url <url>', 'WebSocket address of that venue')
    .option('--crowd <kind>', 'how the crowd of the embedded venue trades: honest or generous')
    .option('--event <slugs...>', 'events to quote')
    .option('--strategy <name>', 'strategy of each')
    .option('--max-loss <usdc>', 'what may be lost at worst')
    .option('--yes', 'do not ask: what no flag answers is as usual')
    .option('--force', 'write over a file that is there; it is kept beside it, with .bak')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: InitOptions) => {
      if (existsSync(options.config) && !options.force) {
        complain(io, `${options.config} is there already; --force writes over it, or name another`);
        finish(EXIT.usage);
        return;
      }
      const strategies = await loadStrategies();
      const answers = await answered(io, options, strategies);
      if (typeof answers === 'string') {
        complain(io, `${answers}; nothing is written`);
        finish(EXIT.usage);
        return;
      }
      await write(io, options, { answers, strategies });
    });
}

/** A text says why there are no answers. */
async function answered(
  io: CliIo,
  options: InitOptions,
  strategies: StrategyMap,
): Promise<FirstAnswers | string> {
  const asker = options.yes ? undefined : askerOf(io);
  if (asker === undefined && !options.yes) {
    return 'nobody sits at a terminal; with --yes, flags answer, and the rest is as usual';
  }
  const put = asker === undefined ? unasked : asking(io, asker);
  try {
    return await firstAnswers(put, options, strategies);
  } catch (error) {
    if (error instanceof Unanswered) return error.message;
    throw error;
  } finally {
    asker?.close();
  }
}

class Unanswered extends Error {}

function ofFlag<Value>({ flag, given, parse }: Question<Value>, text: string): Value {
  const parsed = parse(text);
  if ('value' in parsed) return parsed.value;
  throw new Unanswered(given === undefined ? parsed.wrong : `${flag}: ${parsed.wrong}`);
}

const unasked: Put = async (question) =>
  await Promise.resolve(ofFlag(question, question.given ?? question.usual));

/** Somebody who gets it wrong so often is helped by an end that says what would be right. */
const TRIES_MAX = 10;

function asking(io: CliIo, asker: Asker): Put {
  return async (question) => {
    if (question.given !== undefined) return ofFlag(question, question.given);
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const parsed = question.parse(await answerTo(question, asker));
      if ('value' in parsed) return parsed.value;
      io.stderr.write(`  ${harmless(parsed.wrong)}\n`);
    }
    throw new Unanswered('no answer was right');
  };
}

async function answerTo({ text, usual }: Question<unknown>, asker: Asker): Promise<string> {
  const hint = usual === '' ? '' : `[${usual}] `;
  const answer = await asker.ask(`${harmlessLines(text)} ${hint}`);
  if (answer === undefined) throw new Unanswered('not all questions are answered');
  return answer === '' ? usual : answer;
}

async function write(
  io: CliIo,
  { config, json }: InitOptions,
  of: { readonly answers: FirstAnswers; readonly strategies: StrategyMap },
): Promise<void> {
  const { answers, strategies } = of;
  const text = firstFile(answers, strategies, placesOf(config));
  // What is written is read first, by the rules of `check`.
  const settings = parseSettings(text, { file: `${config}, not written`, env: {}, strategies });
  const backup = await replaceFile(config, text);
  const warnings = warningsOf(settings);
  const next = nextSteps(config, answers);
  const kept = backup === undefined ? [] : [`what was there is kept in ${backup}`];
  const result = { file: config, answers, warnings, next, ...(backup && { backup }) };
  const lines = [`${config} is written`, ...kept, 'next:', ...next.map((step) => `  ${step}`)];
  for (const warning of warnings) complain(io, `warning: ${warning}`);
  printResult(io, { json: result, lines: lines.map(harmless) }, { json });
}

function placesOf(config: string) {
  const folder = dirname(resolve(config));
  const path = relative(folder, packageFile('config/schema.json')).replaceAll('\\', '/');
  const schema = path.startsWith('.') ? path : `./${path}`;
  return { schema, journal: join('data', `${basename(config, extname(config))}.db`) };
}

/** What a person does now, in this order. */
function nextSteps(config: string, { venue, events }: FirstAnswers): readonly string[] {
  const at = `--config ${shellWord(config)}`;
  const check = `npx bookend check ${at}`;
  if (venue.kind === 'paper') {
    return [
      check,
      `npx bookend paper ${at}     then http://127.0.0.1:9464 is the console`,
      `npx bookend status ${at}    beside it`,
    ];
  }
  return [
    'export VENUE_CREDENTIALS_FILE=…     a JSON file with apiKey, apiSecret and apiPassphrase, chmod 600',
    ...(events.length === 0
      ? [`npx bookend markets ${at} --search WORDS     and name one in it`]
      : []),
    check,
    `npx bookend doctor ${at}    places nothing: addresses, credentials, markets`,
    `npx bookend run --dry-run ${at}     shows what it would do`,
    `npx bookend run ${at}       trades`,
  ];
}
