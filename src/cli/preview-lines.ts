// What a changed configuration would do, as lines of text.

import type { Previewed } from './preview-schema.ts';
import { harmless } from './text.ts';

type Change = Previewed['limits'][number];
type Market = Previewed['markets'][number];
type Side = Market['bid'];

/** Limits, parameters with when they count, everything else, and the quotes that would move. */
export function previewLines(preview: Previewed): readonly string[] {
  const { limits, params, others, needsRestart } = preview;
  const sections = [
    section('limits', limits.map(changeLine)),
    section('parameters', params.map(paramLine)),
    section('other settings', others.map(changeLine)),
    section('at the next start only', needsRestart.map(changeLine)),
    section(
      'new markets',
      preview.added.map((each) => `${each}: nothing is known of it yet`),
    ),
    section('quotes that would move', preview.markets.flatMap(marketLines)),
  ].filter((lines) => lines.length > 0);
  const version =
    preview.versionNow === preview.versionAfter
      ? `settings ${preview.versionNow} stay as they are`
      : `settings ${preview.versionNow} → ${preview.versionAfter}; nothing has been applied`;
  const isStill = !preview.markets.some((market) => marketLines(market).length > 0);
  const still = isStill ? ['no quote would move'] : [];
  return [
    version,
    ...sections.flatMap((lines) => ['', ...lines]),
    ...(still.length > 0 ? ['', ...still] : []),
  ].map(harmless);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function changeLine({ path, before, after }: Change): string {
  return `${path}: ${text(before)} → ${text(after)}`;
}

const WHEN: Readonly<Record<string, string>> = {
  now: 'counts now: quotes move at once',
  requote: 'counts at the next requote',
  restart: 'needs a restart: the running value stays',
};

function paramLine(change: Previewed['params'][number]): string {
  const { event, market, strategy, name, before, after, applies } = change;
  const where = market === undefined ? event : `${event} / ${market}`;
  const what = `${where} ${strategy}.${name}: ${text(before)} → ${text(after)}`;
  return `${what} (${WHEN[applies] ?? applies})`;
}

function marketLines(market: Market): readonly string[] {
  const name = market.title === '' ? market.eventSlug : market.title;
  const lines = [
    ...(market.failure === undefined ? [] : [`${name}: the strategy fails: ${market.failure}`]),
    ...sideLines(`${name} bids`, market.bid),
    ...sideLines(`${name} asks`, market.ask),
  ];
  if (lines.length === 0) return [];
  const { blocked, strategyNow, strategyAfter } = market;
  if (strategyAfter === undefined) return [`${name}: is quoted no more`, ...lines];
  if (blocked !== undefined) return [`${name}: not quoted now (${blocked})`, ...lines];
  if (strategyAfter === strategyNow) return lines;
  return [`${name}: ${strategyNow} → ${strategyAfter}`, ...lines];
}

function sideLines(what: string, side: Side): readonly string[] {
  const held = side.held.map(
    ({ price, quantity, limit }) => `${what}: ${price}×${quantity} would be held by ${limit}`,
  );
  if (!side.moves) return held;
  const writes = `of what rests now ${side.cancels} cancelled, ${side.places} placed`;
  return [`${what}: ${quotes(side.unchanged)} → ${quotes(side.changed)} (${writes})`, ...held];
}

function quotes(levels: Side['now']): string {
  if (levels.length === 0) return 'none';
  return levels.map(({ price, quantity }) => `${price}×${quantity}`).join(' ');
}

/** A whole market with all its guards would drown the line. */
const TEXT_LENGTH_MAX = 120;

function text(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length <= TEXT_LENGTH_MAX ? json : `${json.slice(0, TEXT_LENGTH_MAX)}…`;
}
