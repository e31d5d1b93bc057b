// The door of the room: everything a strategy author may import.

export type {
  AxisBook,
  AxisSide,
  Inventory,
  OwnQuote,
  Quote,
  QuoteContext,
  QuotePurpose,
  QuoteReason,
  QuoteWish,
  Strategy,
} from './contract.ts';
export { defineStrategy, QUOTES_MAX } from './contract.ts';
export type { ParamSchema, ParamSpec } from './params.ts';
export { numberParam, wholeParam } from './params.ts';
export type { Middle, SidePlan } from './toolkit/quotes.ts';
export { joined, middleOf, noQuotes, sideQuotes } from './toolkit/quotes.ts';
