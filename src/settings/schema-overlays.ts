// The guards of one market, key by key; their defaults are the core's own.

import { OVERLAY_DEFAULTS as USUAL } from '../domain/overlays.ts';
import { flag, key, number, requiredText, section, whole } from './keys.ts';
import { ZONED } from './schema-feeds.ts';
import { list } from './tree.ts';

const applies = 'live';
/** Known news of one market; a year of daily releases. */
const WINDOWS_MAX = 400;
const HOURS_MAX = 24;
const DAY_MS = 86_400_000;

const enabled = (usual: boolean) =>
  flag({ doc: 'Switches this guard on.', default: usual, applies });

const part = (doc: string, usual: number) =>
  number({ doc, unit: 'parts of 1', min: 0, max: 1, default: usual, applies });

const duration = (doc: string, usual: number, max = DAY_MS) =>
  whole({ doc, unit: 'ms', min: 0, max, default: usual, applies });

const price = (doc: string, usual: number) =>
  number({ doc, unit: 'USDC per share', min: 0, max: 1, default: usual, applies });

const INVENTORY = section('Leans against the position for strategies that do not.', {
  enabled: enabled(USUAL.inventory.enabled),
  taperFrom: part(
    'Part of the position limit from which the adding side shrinks.',
    USUAL.inventory.taperFrom,
  ),
  softCap: part(
    'Part of the position limit at which the adding side ends.',
    USUAL.inventory.softCap,
  ),
  skewTicks: number({
    doc: 'How far all prices lean against the position at the limit.',
    unit: 'ticks',
    min: 0,
    max: 400,
    default: USUAL.inventory.skewTicks,
    applies,
  }),
});

const TOXICITY = section('Pulls, moves back and shrinks quotes that keep losing.', {
  enabled: enabled(USUAL.toxicity.enabled),
  losses: whole({
    doc: 'Fills that lose a tick within 10 s before their side is pulled.',
    unit: 'fills',
    min: 1,
    max: 30,
    default: USUAL.toxicity.losses,
    applies,
  }),
  windowMs: duration('Time in which such fills are counted together.', USUAL.toxicity.windowMs),
  pullMs: duration('How long the side stays away.', USUAL.toxicity.pullMs),
  widenWeight: number({
    doc: 'Both sides move back by this much of the mean loss within 60 s.',
    unit: 'factor',
    min: 0,
    max: 10,
    default: USUAL.toxicity.widenWeight,
    applies,
  }),
  shrinks: flag({
    doc: 'Sizes shrink while fills lose on average.',
    default: USUAL.toxicity.shrinks,
    applies,
  }),
});

const JUMP = section('Pulls everything when the price jumps or a taker sweeps the book.', {
  enabled: enabled(USUAL.jump.enabled),
  movePrice: price('Move of the middle within the window that is a jump.', USUAL.jump.movePrice),
  sigmas: number({
    doc: 'The same in deviations of the measured volatility; both must be exceeded.',
    unit: 'deviations',
    min: 0,
    max: 100,
    default: USUAL.jump.sigmas,
    applies,
  }),
  sweepPrice: price(
    'Range of prices that one burst of takers went through.',
    USUAL.jump.sweepPrice,
  ),
  windowMs: whole({
    doc: 'Time in which a move is a jump.',
    unit: 'ms',
    min: 100,
    max: 600_000,
    default: USUAL.jump.windowMs,
    applies,
  }),
  coolOffMs: duration('No quotes for so long after it.', USUAL.jump.coolOffMs),
  reduceOnlyMs: duration('Only reducing quotes for so long after that.', USUAL.jump.reduceOnlyMs),
});

const ISO_RULE = 'a time with its zone, like 2026-11-03T20:00:00Z';

const NEWS = section('Known news: wider before it, no quotes close to it.', {
  enabled: enabled(USUAL.news.enabled),
  windows: list({
    doc: 'The calendar.',
    applies,
    required: false,
    lengthMax: WINDOWS_MAX,
    items: section('One piece of news.', {
      name: requiredText({
        doc: 'What it is.',
        unit: 'name',
        rule: 'a name of 1 to 100 characters',
        pattern: /^.{1,100}$/,
        applies,
      }),
      from: requiredText({ doc: 'Begin.', unit: 'time', rule: ISO_RULE, pattern: ZONED, applies }),
      to: requiredText({ doc: 'End.', unit: 'time', rule: ISO_RULE, pattern: ZONED, applies }),
    }),
  }),
  widenFactor: number({
    doc: 'Distance to the fair value before the news, as a multiple.',
    unit: 'factor',
    min: 1,
    max: 20,
    default: USUAL.news.widenFactor,
    applies,
  }),
  widenBeforeMs: duration('How long before it quotes widen.', USUAL.news.widenBeforeMs),
  pullBeforeMs: duration('How long before it quotes are pulled.', USUAL.news.pullBeforeMs),
});

const LIFE = section('The end of the market: less, then only reducing, then nothing.', {
  enabled: enabled(USUAL.life.enabled),
  durationMs: key<number | undefined>(
    {
      doc: 'From listing to expiry; the times below are at most a fifth, a tenth and a twentieth of it.',
      default: undefined,
      applies,
    },
    {
      unit: 'ms',
      rule: 'a whole number from 60000 (ms)',
      shape: { type: 'integer', minimum: 60_000 },
      isRight: (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value >= 60_000,
    },
  ),
  taperMs: duration(
    'How long before the expiry sizes begin to shrink.',
    USUAL.life.taperMs,
    30 * DAY_MS,
  ),
  reduceOnlyMs: duration(
    'How long before it only reducing quotes remain.',
    USUAL.life.reduceOnlyMs,
  ),
  haltMs: duration('How long before it the last quote goes.', USUAL.life.haltMs),
  taperTo: part('What is left of a size when only reducing begins.', USUAL.life.taperTo),
});

const BOUNDARY = section('No quote near 0 or 1 that risks far more than it can win.', {
  enabled: enabled(USUAL.boundary.enabled),
  ticks: whole({
    doc: 'Distance from 0 and 1 within which the rule applies.',
    unit: 'ticks',
    min: 0,
    max: 500,
    default: USUAL.boundary.ticks,
    applies,
  }),
  lossPerGainMax: number({
    doc: 'Largest possible loss for each dollar of possible gain.',
    unit: 'USDC per USDC',
    min: 1,
    max: 1_000,
    default: USUAL.boundary.lossPerGainMax,
    applies,
  }),
});

const SHAPE = section('Books that are no ground to quote on.', {
  enabled: enabled(USUAL.shape.enabled),
  needsBothSides: flag({
    doc: 'No quotes while others show one side only.',
    default: USUAL.shape.needsBothSides,
    applies,
  }),
  spreadMax: price('Widest book that is quoted.', USUAL.shape.spreadMax),
  touchUsdcMin: number({
    doc: "Least value of others' best level on either side.",
    unit: 'USDC',
    min: 0,
    max: 1_000_000,
    default: USUAL.shape.touchUsdcMin,
    applies,
  }),
  fairGapMax: price('Largest distance of fair value and middle.', USUAL.shape.fairGapMax),
  driftMax: price(
    'Furthest the fair value may have moved from its decayed mean; 1 is never too far.',
    USUAL.shape.driftMax,
  ),
  driftHalfLifeMs: whole({
    doc: 'Half-life of that mean.',
    unit: 'ms',
    min: 1_000,
    max: DAY_MS,
    default: USUAL.shape.driftHalfLifeMs,
    applies,
  }),
});

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const CLOCK_RULE = 'a time of day in UTC like 22:00, in quotes';

const QUIET = section('Hours of every day in which nobody watches.', {
  enabled: enabled(USUAL.quiet.enabled),
  hours: list({
    doc: 'The hours; one that ends before it begins runs past midnight, the same time twice is refused.',
    applies,
    required: false,
    lengthMax: HOURS_MAX,
    items: section('One stretch.', {
      from: requiredText({
        doc: 'Begin.',
        unit: 'time',
        rule: CLOCK_RULE,
        pattern: CLOCK,
        applies,
      }),
      to: requiredText({ doc: 'End.', unit: 'time', rule: CLOCK_RULE, pattern: CLOCK, applies }),
    }),
  }),
  reduces: flag({ doc: 'Reducing quotes stay.', default: USUAL.quiet.reduces, applies }),
});

export const OVERLAYS = section('Guards between the strategy and the orders.', {
  inventory: INVENTORY,
  toxicity: TOXICITY,
  jump: JUMP,
  news: NEWS,
  life: LIFE,
  boundary: BOUNDARY,
  shape: SHAPE,
  quiet: QUIET,
});
