// A venue as the rig needs it: where bots connect, what the crowd does, and the venue's own records.

export type AxisSide = 'bid' | 'ask';

/** An order of the bot's account that rests right now, on the YES axis. */
export type Resting = {
  readonly orderHash: string;
  readonly axisSide: AxisSide;
  readonly ticks: number;
  readonly shares: number;
  readonly placedAtMs: number;
  /** Its trade failed and the venue put it back: that it stands beside its successor is not the bot's doing. */
  readonly isRestored: boolean;
};

/** The bot's account in one market, by the records of the venue. */
export type BotMarket = {
  readonly resting: readonly Resting[];
  /** YES minus NO, everything that matched counted. */
  readonly net: number;
};

/** Best prices of the others on the YES axis, and how many ticks further they quote each price. */
export type OthersBook = { readonly bid: number; readonly ask: number; readonly levels: number };

export type Credentials = {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly apiPassphrase: string;
};

export interface Floor {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly credentials: Credentials;
  readonly eventSlug: string;
  readonly ticksPerUnit: number;
  readonly marketCount: number;
  bot(market: number): BotMarket;
  /** Open orders of the account, those that await a settlement not counted. */
  openCount(): number;
  /** Others quote these prices and nothing else, on both tokens of the market. */
  layBook(market: number, book: OthersBook): void;
  /** Somebody trades with the bot's best quote of a side, up to so many shares. */
  hit(market: number, side: AxisSide, shares: number): void;
  stop(): Promise<void>;
}

/** Size of each quote of the others. */
export const OTHERS_SHARES = 500;
