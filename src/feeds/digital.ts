// A market on where a spot price will be: a digital option on that price, valued at every price that comes.

import type { DigitalOption, FeedChoice } from '../domain/feed.ts';
import { normalCdf } from '../strategy/index.ts';
import type { Arrival, Reader } from './arrival.ts';
import { type Reading, readStatement, refusal, SPOT, type Statement } from './statement.ts';
import { VolatilityFit, YEAR_MS } from './volatility.ts';

/** Nobody is surer than this before it has happened. */
const PRICE_MIN = 0.0005;
const DEVIATION_MIN = 1e-4;

/** Without drift: `P(spot at expiry > K) = Phi(ln(S/K) / (sigma root tau) - sigma root tau / 2)`. */
export function digitalPrice(
  { strike, strikeUpper }: Pick<DigitalOption, 'strike' | 'strikeUpper'>,
  at: { readonly spot: number; readonly volatility: number; readonly leftMs: number },
): number {
  const deviation = at.volatility * Math.sqrt(at.leftMs / YEAR_MS);
  const above = (level: number): number =>
    normalCdf((Math.log(at.spot) - Math.log(level)) / deviation - deviation / 2);
  const price = above(strike) - (strikeUpper === undefined ? 0 : above(strikeUpper));
  return Math.min(1 - PRICE_MIN, Math.max(PRICE_MIN, price));
}

export class DigitalReader implements Reader {
  readonly #choice: FeedChoice;
  readonly #option: DigitalOption;
  readonly #fit: VolatilityFit;
  #basis: string | undefined;

  constructor(choice: FeedChoice, option: DigitalOption) {
    this.#choice = choice;
    this.#option = option;
    this.#fit = new VolatilityFit(option);
  }

  read({ text, isStream, nowMs }: Arrival): Reading {
    const reading = readStatement(text, this.#choice, isStream, SPOT);
    if (reading.kind !== 'stated') return reading;
    this.#fit.take(reading.price, reading.atMs ?? nowMs);
    const leftMs = this.#option.expiryMs - nowMs;
    if (leftMs <= 0) {
      const expiry = new Date(this.#option.expiryMs).toISOString();
      return refusal('digital.expiry', `${expiry}, which has passed`, 'a time that is to come');
    }
    return this.#valued(reading, leftMs);
  }

  basis(): string | undefined {
    return this.#basis;
  }

  volatility(): number {
    return this.#fit.volatility;
  }

  #valued({ price: spot, deviation: spotDeviation, atMs }: Statement, leftMs: number): Statement {
    const { volatility, errorPart } = this.#fit;
    const value = (at: { readonly spot: number; readonly volatility: number }): number =>
      digitalPrice(this.#option, { ...at, leftMs });
    const price = value({ spot, volatility });
    const byFit = value({ spot, volatility: volatility * (1 + errorPart) }) - price;
    const bySpot =
      spotDeviation === undefined ? 0 : value({ spot: spot + spotDeviation, volatility }) - price;
    const deviation = Math.min(0.5, Math.max(DEVIATION_MIN, Math.hypot(byFit, bySpot)));
    const left = `${Math.ceil(leftMs / 1_000)} s left`;
    this.#basis = `spot ${spot}, volatility ${volatility.toFixed(3)}, ${left}`;
    return { kind: 'stated', price, deviation, atMs };
  }
}
