// Bugs that once survived every test: each must be found by a scene of scenes.ts.

import type { PlantedBug } from '../../support/planted.ts';

const MASS_CANCEL = 'src/core/session/mass-cancel.ts';
const SUBSCRIPTIONS = 'src/venue/ws/subscriptions.ts';
const BOUNDS = 'src/core/kernel/bounds.ts';
const BUDGET = 'src/core/sending/budget.ts';
const CAPITAL = 'src/core/risk/risk-book.ts';
const WRITER = 'src/app/journal-writer.ts';
const CUT = 'src/app/power-cut.ts';

export const SURVIVORS: readonly PlantedBug[] = [
  {
    name: 'last-token-is-dropped',
    about: 'leaves the last token out of the last subscription frame',
    file: SUBSCRIPTIONS,
    from: 'frame(tokens.slice(start, start + tokensPerFrame))',
    to: 'frame(tokens.slice(start, Math.min(start + tokensPerFrame, tokens.length - 1)))',
  },
  {
    name: 'last-of-frame-is-dropped',
    about: 'leaves the last token out of each full subscription frame',
    file: SUBSCRIPTIONS,
    from: 'frame(tokens.slice(start, start + tokensPerFrame))',
    to: 'frame(tokens.slice(start, start + tokensPerFrame - 1))',
  },
  {
    name: 'held-is-counted-twice',
    about: 'adds what a market holds to what it held before',
    file: CAPITAL,
    from: 'this.#holdNano += bound.holdNano - before.holdNano;',
    to: 'this.#holdNano += bound.holdNano;',
  },
  {
    name: 'spent-is-counted-twice',
    about: 'adds what a market spent to what it had spent before',
    file: CAPITAL,
    from: 'this.#spentNano += bound.spentNano - before.spentNano;',
    to: 'this.#spentNano += bound.spentNano;',
  },
  {
    name: 'capital-is-counted-twice',
    about: 'shares out what open orders hold beside the cash that they hold it of',
    file: CAPITAL,
    from: 'return cashNano + this.#spentNano;',
    to: 'return cashNano + this.#spentNano + this.#holdNano;',
  },
  {
    name: 'window-is-short',
    about: 'counts its writes in windows of 9.5 s',
    file: BUDGET,
    from: 'export const WRITE_WINDOW_MS = 10_250;',
    to: 'export const WRITE_WINDOW_MS = 9_500;',
  },
  {
    name: 'batch-of-sixteen',
    about: 'sends sixteen orders in a batch',
    file: BOUNDS,
    from: 'export const BATCH_ORDERS_MAX = 15;',
    to: 'export const BATCH_ORDERS_MAX = 16;',
  },
  {
    name: 'refused-kill-is-confirmed',
    about: 'calls a kill confirmed though the cancel of everything was refused',
    file: MASS_CANCEL,
    from: 'at.mayStay === true ? undefined : this.#unserved',
    to: 'undefined',
  },
  {
    name: 'late-placement-is-forgotten',
    about: 'calls a kill confirmed while a placement without an answer may still arrive',
    file: MASS_CANCEL,
    from: '>= quietMs && at.askedAtMs > horizonMs',
    to: '>= quietMs && at.askedAtMs > 0 * horizonMs',
  },
  {
    name: 'intent-is-never-synced',
    about: 'writes intents and never brings them to the disk',
    file: WRITER,
    from: '    this.#follow();\n    this.#tellMeasured();',
    to: '    this.#tellMeasured();',
  },
  {
    name: 'written-meanwhile-is-never-synced',
    about: 'leaves out what was written while a sync was under way',
    file: WRITER,
    from: '    this.#isLate = false;\n    this.#follow();',
    to: '    this.#isLate = false;',
  },
  {
    name: 'failed-sync-is-ignored',
    about: 'goes on placing when the disk has refused what was written',
    file: WRITER,
    from: '    if (fault !== undefined) {\n      this.#takeBack();',
    to: '    if (fault === null) {\n      this.#takeBack();',
  },
  {
    name: 'failed-sync-is-not-written-again',
    about: 'forgets what the disk has refused',
    file: WRITER,
    from: 'new Map([...this.#syncing, ...this.#written, ...this.#waiting])',
    to: 'new Map(this.#waiting)',
  },
  {
    name: 'late-disk-is-waited-for',
    about: 'goes on placing however far the disk is behind',
    file: WRITER,
    from: 'export const BEHIND_MS_MAX = 2_000;',
    to: 'export const BEHIND_MS_MAX = 2_000_000;',
  },
  {
    name: 'older-word-is-written-last',
    about: 'writes what the disk refused over what came after it',
    file: WRITER,
    from: '[...this.#syncing, ...this.#written, ...this.#waiting]',
    to: '[...this.#waiting, ...this.#written, ...this.#syncing]',
  },
  {
    name: 'own-scope-is-early',
    about: 'sends own orders before their intents are on the disk where a start clears no others',
    file: WRITER,
    from: "this.#mayBeEarly = scope === 'account';",
    to: "this.#mayBeEarly = scope !== 'account' || scope === 'account';",
  },
  {
    name: 'stop-is-early',
    about: 'takes a halt for kept before it is on the disk',
    file: WRITER,
    from: 'return isStop(record) || kind',
    to: 'return kind',
  },
  {
    name: 'late-order-is-not-waited-for',
    about: 'clears the account while placements of before a power cut may still arrive',
    file: CUT,
    from: 'addMs(bootedAtMs, SIGNED_WITHIN_MS + horizonMs)',
    to: 'addMs(bootedAtMs, SIGNED_WITHIN_MS)',
  },
];
