// Lives that end at any moment, among trades that are all alike: whose a payment, a hold or a settlement was,
// its amount does not say. No market is quoted with shares that it does not have, nor silent for good.

import { describe, expect } from 'vitest';
import { unixMs } from '../../../../src/domain/time.ts';
import type { MarketView } from '../../../../src/domain/view.ts';
import { AlikeVenue, bookOf, MARKETS, TOKENS } from '../../../support/alike-venue.ts';
import { EngineDriver, settings } from '../../../support/engine-driver.ts';
import { EXCLUSIVE } from '../../../support/exclusive-event.ts';
import { it, type Lives } from '../../../support/lives.ts';

const TURN_MS = 250;
const LIFE_MS = 250_000;
const HOUR_MS = 3_600_000;
/** A frame is on its way for a moment; what is proven and is not so stays until cash is asked about, a minute. */
const WRONG_MS = 30_000;
/** What cash and holds do not prove positions do: they lag up to 150 s, and have to repeat themselves. */
const SILENT_MS = 240_000;

const known = settings();
const SETTINGS = {
  ...known,
  risk: {
    ...known.risk,
    maxPositionShares: 10_000,
    maxLossUsdc: 100_000,
    maxOrderNotionalUsdc: 100,
  },
};

/** For how long something has been so without a break, by market. */
class Lasting {
  readonly #sinceMs = new Map<string, number>();
  longestMs = 0;

  forget(): void {
    this.#sinceMs.clear();
  }

  note(id: string, isSo: boolean, nowMs: number): void {
    if (!isSo) this.#sinceMs.delete(id);
    const sinceMs = this.#sinceMs.get(id) ?? nowMs;
    if (isSo) this.#sinceMs.set(id, sinceMs);
    this.longestMs = Math.max(this.longestMs, nowMs - sinceMs);
  }
}

class Scene {
  readonly venue: AlikeVenue;
  readonly #lives: Lives;
  #driver: EngineDriver;
  #isAlive = false;
  #turnsAtMs: number;
  #authenticatesAtMs = 0;
  readonly wrong = new Lasting();
  readonly silent = new Lasting();
  fills = 0;

  constructor(seed: number, lives: Lives) {
    this.#lives = lives;
    this.#driver = new EngineDriver();
    this.venue = new AlikeVenue(seed, this.#driver.nowMs);
    this.#turnsAtMs = this.venue.nowMs;
  }

  run(durationMs: number): void {
    const untilMs = this.venue.nowMs + durationMs;
    while (this.venue.nowMs < untilMs) {
      this.venue.passTo(this.venue.nowMs + TURN_MS);
      const isDue = this.venue.nowMs >= this.#turnsAtMs;
      if (this.#isAlive) this.#live();
      else if (isDue) this.#begin();
    }
  }

  #begin(): void {
    const { nowMs } = this.venue;
    this.#isAlive = true;
    // Each life has to wait anew for positions: while nobody listened anything may have traded.
    this.silent.forget();
    this.#driver = new EngineDriver();
    this.#driver.nowMs = nowMs;
    this.#driver.settings(SETTINGS);
    this.#driver.restore(this.#lives.ledger.load());
    this.#driver.tell({ kind: 'catalogue', outcome: { kind: 'ok', value: [EXCLUSIVE] } });
    this.#driver.tell({ kind: 'socketOpened' });
    this.#authenticatesAtMs = nowMs + this.venue.between(200, 800);
  }

  #end(): void {
    this.#isAlive = false;
    this.#lives.ledger.commit(this.#driver.records);
    this.fills += this.#driver.reported('order.filled').length;
    this.venue.hangUp();
    this.#turnsAtMs = this.venue.nowMs + this.venue.between(500, 5_000);
  }

  #live(): void {
    const { venue } = this;
    const driver = this.#driver;
    driver.nowMs = venue.nowMs - TURN_MS;
    this.#listen(driver);
    driver.tick(TURN_MS);
    for (const command of driver.sent.splice(0)) venue.take(command);
    if (venue.nowMs % 1_000 < TURN_MS) this.#look(driver);
    if (venue.chance(TURN_MS / LIFE_MS)) this.#end();
  }

  #listen(driver: EngineDriver): void {
    const { venue } = this;
    if (!venue.isHeard && venue.nowMs >= this.#authenticatesAtMs) {
      venue.isHeard = true;
      driver.tell({ kind: 'authenticated' });
    }
    if (venue.nowMs % 1_000 < TURN_MS) {
      const venueTs = unixMs(venue.nowMs);
      for (const tokenId of TOKENS)
        driver.tell({ kind: 'bookSnapshot', tokenId, ...bookOf(tokenId), venueTs });
    }
    for (const message of venue.heard()) driver.tell(message);
  }

  #look(driver: EngineDriver): void {
    const { phase, markets } = driver.engine.view();
    if (phase !== 'quoting') return;
    for (const [at, view] of markets.entries()) this.#judge(at, view);
  }

  #judge(at: number, { bidReason, positionYes, positionNo }: MarketView): void {
    const market = MARKETS[at];
    if (market === undefined) return;
    const isUnproven = bidReason?.code === 'position_unproven';
    const isSame =
      Number(positionYes) * 1e6 === this.venue.truth(market.yes.tokenId) &&
      Number(positionNo) * 1e6 === this.venue.truth(market.no.tokenId);
    this.wrong.note(market.id, !isUnproven && !isSame, this.venue.nowMs);
    this.silent.note(market.id, isUnproven, this.venue.nowMs);
  }
}

describe('lives that end among trades that are all alike', () => {
  it.for([3, 7, 9, 11, 14, 15])(
    'quote what they have, and go on, by seed %i',
    (seed, { lives }) => {
      const scene = new Scene(seed, lives);
      scene.run(HOUR_MS);
      expect(scene.fills).toBeGreaterThan(500);
      expect(scene.wrong.longestMs).toBeLessThanOrEqual(WRONG_MS);
      expect(scene.silent.longestMs).toBeLessThanOrEqual(SILENT_MS);
    },
  );
});
