// `check`: is the configuration right, what does it amount to, and what would it change?

import type { Command } from 'commander';
import { EXIT } from '../app/exit.ts';
import { fillWarnings } from '../app/fill-warnings.ts';
import { readBoundedFile } from '../settings/bounded-file.ts';
import { effective, effectiveYaml } from '../settings/effective.ts';
import { SettingsError } from '../settings/problems.ts';
import type { Settings } from '../settings/settings.ts';
import { warningsOf } from '../settings/warnings.ts';
import { worstCases, worstCaseText } from '../settings/worst-case.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG } from './command.ts';
import { daemonTokenOf, httpAddressOf, httpOf, requestJson } from './daemon-http.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import { configured, credentialsOf } from './options.ts';
import { previewLines } from './preview-lines.ts';
import { previewAnswer, type ShownPreview } from './preview-schema.ts';
import { chosenRun, type RunOptions, withRunOptions } from './which-run.ts';

type CheckOptions = RunOptions & {
  readonly json?: boolean;
  readonly againstRunning?: boolean;
  readonly at?: string;
};

export function checkCommand(io: CliIo, finish: Finish): Command {
  const doc = 'validates a configuration and prints the effective settings';
  return withRunOptions(command('check', doc).requiredOption(CONFIG_FLAG, CONFIG_DOC))
    .option(
      '--against-running',
      'instead of the settings, what they would change in the running daemon; nothing is applied',
    )
    .option('--at <address>', 'where that daemon listens, if not where the file says')
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: CheckOptions) => {
      try {
        await check(io, options, finish);
      } catch (error) {
        if (!options.json || !(error instanceof SettingsError)) throw error;
        const { file, problems } = error;
        printResult(io, { json: { valid: false, file, problems }, lines: [] }, options);
        finish(EXIT.usage);
      }
    });
}

async function check(io: CliIo, options: CheckOptions, finish: Finish): Promise<void> {
  const { settings, strategies } = await configured(io, options.config);
  // Half of a set of credentials is a wrong configuration too.
  credentialsOf(io);
  if (options.againstRunning) {
    const running = await chosenRun(io, settings, options);
    await checkAgainstRunning(io, running.settings, { options, finish });
    return;
  }
  const warnings = [...warningsOf(settings), ...fillWarnings(settings, strategies)];
  for (const warning of warnings) complain(io, `warning: ${warning}`);
  const worstCase = worstCases(settings);
  // Comments, so that what is printed stays YAML.
  const head = worstCase.map((each) => `#   ${worstCaseText(each)}`);
  const lines = [WORST_CASE_HEAD, ...head, effectiveYaml(settings, io.env).trimEnd()];
  const json = { valid: true, warnings, worstCase, settings: effective(settings, io.env) };
  printResult(io, { json, lines }, options);
}

/** Of a strategy that takes its sizes from elsewhere the limits themselves are in it. */
const WORST_CASE_HEAD =
  '# worst case by levels and sizes, whatever the prices, against the limits:';

async function checkAgainstRunning(
  io: CliIo,
  settings: Settings,
  { options, finish }: { readonly options: CheckOptions; readonly finish: Finish },
): Promise<void> {
  const address = options.at ?? httpAddressOf(settings);
  const config = readBoundedFile(options.config);
  const answer = URL.canParse(address)
    ? await askPreview(address, settings, config)
    : failed(`--at ${address}: not an address, as http://127.0.0.1:9464`);
  if (answer.kind === 'failed') {
    complain(io, answer.detail);
    finish(EXIT.failed);
    return;
  }
  const { preview } = answer;
  if (preview.kind === 'refused') {
    // What is right here may be wrong there: the daemon has its own environment and modules.
    const problems = preview.problems.map((each) => ({ ...each, line: each.line }));
    throw new SettingsError({ file: `${options.config}, as the daemon reads it`, problems });
  }
  printResult(
    io,
    { json: { valid: true, preview: answer.raw }, lines: previewLines(preview) },
    options,
  );
}

type PreviewAnswer =
  | { readonly kind: 'ok'; readonly preview: ShownPreview; readonly raw: unknown }
  | { readonly kind: 'failed'; readonly detail: string };

/** A daemon that quotes a thousand markets takes its time. */
const PREVIEW_TIMEOUT_MS = 15_000;

async function askPreview(
  address: string,
  settings: Settings,
  config: string,
): Promise<PreviewAnswer> {
  const answer = await requestJson(`${address}/api/preview`, {
    method: 'POST',
    body: { config },
    timeoutMs: PREVIEW_TIMEOUT_MS,
    // Whoever listens there, and not where the file says, is shown it.
    token: await daemonTokenOf({ ...settings, http: httpOf(address) }),
  });
  if (answer.kind === 'failed') {
    const hint = 'with --at its address can be named, where http.port is what changes';
    return failed(`no daemon answers at ${address}: ${answer.detail}; ${hint}`);
  }
  if (answer.status !== 200) {
    return failed(`${address} answers ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  const preview = previewAnswer.safeParse(answer.body);
  if (preview.success) return { kind: 'ok', preview: preview.data, raw: answer.body };
  const [issue] = preview.error.issues;
  const where = issue ? `${issue.path.join('.')}: ${issue.message}` : 'unreadable';
  return failed(`the preview of ${address} is of another version: ${where}`);
}

function failed(detail: string): PreviewAnswer {
  return { kind: 'failed', detail };
}
