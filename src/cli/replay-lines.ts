// What a replay has found, as lines of text: whether it was the same, and a moment of it.

import type { Moment, ReplayResult, Step } from '../app/replay.ts';
import type { Command } from '../domain/command.ts';
import type { Input } from '../domain/input.ts';
import type { MarketView, QuoteView } from '../domain/view.ts';
import { toExact } from '../journal/exact.ts';
import { riskLines } from './risk-lines.ts';
import { duration, headLines, marketLines, reasonLines, type Shown } from './status-lines.ts';
import { clip, harmless } from './text.ts';

/** A whole catalogue would drown the line. */
const TEXT_LENGTH_MAX = 300;
/** Of the second before a moment; `--json` has all that were held. */
const LINES_SHOWN = 60;

export function replayLines(result: ReplayResult, shown: Shown): readonly string[] {
  const { moment } = result;
  const whole = { ...shown, width: Number.POSITIVE_INFINITY };
  return [
    ...verdictLines(result),
    ...(moment === undefined ? [] : ['', ...momentLines(moment, shown, whole)]),
  ];
}

/** The whole result as JSON, without what a terminal would need. */
export function replayJson(result: ReplayResult): unknown {
  const { run, difference, moment, end, threw, ...rest } = result;
  return {
    run: run.run,
    ...run.about,
    files: run.parts.map(({ file }) => file),
    ...rest,
    isSame: difference === undefined,
    difference,
    threw,
    end: end === 'stopped' ? { how: 'stopped', detail: '' } : end,
    moment: moment && { view: moment.view, steps: toExact(moment.steps) },
  };
}

function verdictLines(result: ReplayResult): readonly string[] {
  const { run, inputs, commands, digest, fromMs, toMs, end, threw } = result;
  const { startedAtMs, version, node } = run.about;
  const files = run.parts.length === 1 ? '1 file' : `${run.parts.length} files`;
  const lasted = fromMs === undefined || toMs === undefined ? '' : `, ${duration(toMs - fromMs)}`;
  const lines = [
    `run of ${time(startedAtMs)} by version ${version} on Node ${node}, ${files}${lasted}`,
    `${inputs} inputs and ${commands} commands replayed${toMs === undefined ? '' : ` up to ${time(toMs)}`}`,
    ...differenceLines(result),
  ];
  if (threw !== undefined) lines.push(`the core threw at its last input: ${threw}`);
  if (end === 'stopped') lines.push('stopped there, as asked');
  else if (end.how === 'cut') lines.push(`cut, as by kill -9: ${end.detail}`);
  else if (end.how === 'broken') lines.push(`BROKEN at ${end.detail}`);
  if (digest.recorded === undefined) lines.push(`checksum of the commands ${digest.replayed}`);
  return lines.map(harmless);
}

function differenceLines({ difference, digest, commands }: ReplayResult): readonly string[] {
  if (difference === undefined) {
    if (commands === 0) return ['the same: it asked the venue for nothing, and asks for nothing'];
    const recorded = digest.recorded === undefined ? '' : `, checksum ${digest.recorded}`;
    return [`the same: every command is as it was recorded${recorded}`];
  }
  const { atMs, place, input, recorded, replayed } = difference;
  return [
    `DIFFERENT from ${time(atMs)} on, at input ${input} (${place})`,
    `  recorded: ${textOf(recorded)}`,
    `  replayed: ${textOf(replayed)}`,
  ];
}

function momentLines({ view, steps }: Moment, shown: Shown, whole: Shown): readonly string[] {
  const reasons = reasonLines(view, whole);
  const risk = riskLines(view, whole);
  return [
    `at ${time(view.atMs)}`,
    ...headLines(view, shown),
    '',
    ...marketLines(view.markets, shown),
    '',
    ...view.markets.map((market) => harmless(fairLine(market))),
    ...(risk.length > 0 ? ['', ...risk] : []),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    ...view.notReady.map((reason) => harmless(`not ready: ${reason}`)),
    '',
    ...stepLines(steps, tokenNames(view.markets)).map((line) => clip(harmless(line), shown.width)),
  ];
}

function fairLine({ title, eventSlug, bookStates, fair, targets, guards }: MarketView): string {
  const worth =
    fair === undefined
      ? 'fair value unknown'
      : `fair value ${fair.price} ± ${fair.logOddsDeviation} in log-odds, ${(fair.ageMs / 1_000).toFixed(1)} s old`;
  const outside = fair?.external === undefined ? '' : `, outside price ${fair.external}`;
  const wanted =
    targets === undefined
      ? 'no target quotes'
      : `target bids ${quotes(targets.bids)}, asks ${quotes(targets.asks)}`;
  const filters = guards.map(
    ({ guard, side, code, effect }) => `; ${guard} ${effect} ${side}: ${code}`,
  );
  const books = `books ${bookStates.yes} (YES) and ${bookStates.no} (NO)`;
  return `${title === '' ? eventSlug : title}: ${worth}${outside}; ${wanted}; ${books}${filters.join('')}`;
}

function quotes(all: readonly QuoteView[]): string {
  return all.length === 0
    ? 'none'
    : all.map(({ price, quantity }) => `${price}×${quantity}`).join(' ');
}

/** Inputs, and behind each what the core answered; ticks without an answer say nothing. */
function stepLines(steps: readonly Step[], names: ReadonlyMap<string, string>): readonly string[] {
  const lines = steps.flatMap(oneStep);
  const shown = collapsed(lines).slice(-LINES_SHOWN);
  const told = shown.map(({ text, times }) => {
    const named = text.replace(/0x[0-9a-f]+/g, (id) => names.get(id) ?? id);
    return times === 1 ? named : `${named} (the last of ${times} in a row)`;
  });
  return [`the second before it, its last ${told.length} lines:`, ...told];
}

/** `group`: a frame of the same kind on the same book, behind another one, says little more. */
type StepLine = { readonly text: string; readonly group: string | undefined };

function collapsed(lines: readonly StepLine[]): readonly (StepLine & { readonly times: number })[] {
  const rows: (StepLine & { times: number })[] = [];
  for (const line of lines) {
    const before = rows.at(-1);
    const isMore = before !== undefined && line.group !== undefined && before.group === line.group;
    rows.splice(isMore ? -1 : rows.length, 1, { ...line, times: isMore ? before.times + 1 : 1 });
  }
  return rows;
}

function oneStep({ input, commands }: Step): readonly StepLine[] {
  const answers = commands.flatMap(commandText).map((text) => ({ text, group: undefined }));
  if (input.kind === 'tick' && answers.length === 0) return [];
  const text = `${time(input.atMs).slice(11)} saw ${inputText(input)}`;
  return [{ text, group: groupOf(input) }, ...answers];
}

function groupOf(input: Input): string | undefined {
  if (input.kind !== 'venue' || input.message.kind !== 'bookDelta') return undefined;
  return input.message.tokenId;
}

function inputText(input: Input): string {
  if (input.kind === 'tick') return 'tick';
  if (input.kind === 'venue') {
    const { kind, ...message } = input.message;
    return `${kind} ${textOf(message)}`;
  }
  const { kind, atMs: _, ...rest } = input;
  return `${kind} ${textOf(rest)}`;
}

function commandText(command: Command): readonly string[] {
  switch (command.kind) {
    case 'venue': {
      const { kind, ...rest } = command.command;
      return [`    asked for ${kind} ${textOf(rest)}`];
    }
    case 'report': {
      const { event, ...rest } = command.report;
      return [`    said ${event} ${textOf(rest)}`];
    }
    case 'record':
    case 'arm':
    case 'disarm':
    case 'disarmPlacements':
      return [];
    default:
      return command satisfies never;
  }
}

function tokenNames(markets: readonly MarketView[]): ReadonlyMap<string, string> {
  return new Map(
    markets.flatMap(({ title, eventSlug, yesTokenId, noTokenId }) => {
      const name = title === '' ? eventSlug : title;
      return [[yesTokenId, `${name} YES`] as const, [noTokenId, `${name} NO`] as const];
    }),
  );
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}

function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value, plainly);
  return text.length <= TEXT_LENGTH_MAX ? text : `${text.slice(0, TEXT_LENGTH_MAX)}…`;
}

function plainly(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
