// Frames of the socket, in every shape of both generations. @spec Events

import { z } from 'zod';
import { WireError } from '../domain/errors.ts';
import { excerpt, standalone } from '../domain/excerpt.ts';
import { tokenId } from '../domain/ids.ts';
import { readJson } from '../domain/json.ts';
import type { VenueMessage } from '../domain/message.ts';
import { readBookFrame } from './frames-book.ts';
import { readUserFrame } from './frames-user.ts';
import { FRAME_LENGTH_MAX, FRAMES_MAX } from './limits.ts';
import { anything, complaintText } from './parse.ts';
import type { TokenLookup } from './tokens.ts';

/** Every frame type of the interface: the labels under which frames are counted. */
export const FRAME_TYPES = [
  'connected',
  'ping',
  'pong',
  'authenticated',
  'error',
  'orderbook.snapshot',
  'orderbook.delta',
  'last_trade_price',
  'market.status_update',
  'trade.executed',
  'order.update',
  'trade.settled',
  'trade.failed',
  'position.update',
  'portfolio.summary_update',
] as const;

export type FrameType = (typeof FRAME_TYPES)[number];

/** What a frame is to the socket's session, and what it is to the core. */
export type Frame =
  | { readonly kind: 'connected' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'authenticated' }
  | { readonly kind: 'error'; readonly message: string; readonly code: string | undefined }
  | {
      readonly kind: 'messages';
      readonly label: FrameType | 'other';
      readonly messages: readonly VenueMessage[];
    };

const TYPE_LENGTH_MAX = 60;
/** Of a text that cannot be read. */
const SHOWN_LENGTH_MAX = 120;
const BOOK_TYPES = ['orderbook.delta', 'orderbook.snapshot'] as const;
const TOKEN_IDS = /0x[0-9a-f]{1,128}/gi;

const errorFrame = z.object({ message: anything, code: anything });

/**
 * Reads one text of the socket. It never throws: what cannot be read is `unrecognised`, or
 * `bookUnreadable` where a book of ours was meant, so that one bad frame never stops the rest.
 * @spec Events
 */
export function parseFrame(text: string, tokens: TokenLookup): readonly Frame[] {
  const read = readJson(text, FRAME_LENGTH_MAX);
  if (!read.isRead) return [readLost('untyped', read.why, text.slice(0, FRAME_LENGTH_MAX), tokens)];
  const { value } = read;
  if (!Array.isArray(value)) return [readFrame(value, text, tokens)];
  if (value.length > FRAMES_MAX) {
    return [readLost('list', `is one of ${value.length} in one text`, text, tokens)];
  }
  return value.map((item) => readFrame(item, text, tokens));
}

/**
 * A text that is not read: no JSON, cut short or garbled, or too long a list. If it was about books,
 * those that it still names have lost a change; a book whose name is gone with the rest only an audit
 * can find.
 */
function readLost(frameType: string, why: string, text: string, tokens: TokenLookup): Frame {
  const shown = excerpt(text, SHOWN_LENGTH_MAX);
  const type = BOOK_TYPES.find((each) => text.includes(`"${each}"`));
  if (type === undefined) return unrecognised(frameType, `${why}: ${shown}`);
  const named = new Set(text.match(TOKEN_IDS)?.map((each) => tokenId(standalone(each))));
  const known = [...named].filter((each) => tokens.gridOf(each) !== undefined);
  if (known.length === 0) return unrecognised(frameType, `${why}: ${shown}`);
  const detail = `${type} ${why}: ${shown}`;
  return {
    kind: 'messages',
    label: type,
    messages: known.map((each) => ({ kind: 'bookUnreadable', tokenId: each, detail })),
  };
}

/** The label of a frame for counting. */
export function frameLabel(frame: Frame): FrameType | 'other' {
  return frame.kind === 'messages' ? frame.label : frame.kind;
}

function readFrame(frame: unknown, text: string, tokens: TokenLookup): Frame {
  const word = typeOf(frame);
  if (word === undefined) return unrecognised('untyped', excerpt(text, SHOWN_LENGTH_MAX));
  const type = FRAME_TYPES.find((known) => known === word);
  if (type === undefined) return unrecognised(word, excerpt(text, SHOWN_LENGTH_MAX));
  try {
    return readKnown(type, frame, tokens);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return unrecognised(type, complaintText(error));
  }
}

function typeOf(frame: unknown): string | undefined {
  const isTyped = typeof frame === 'object' && frame !== null && 'type' in frame;
  return isTyped && typeof frame.type === 'string' ? frame.type : undefined;
}

function readKnown(type: FrameType, frame: unknown, tokens: TokenLookup): Frame {
  switch (type) {
    case 'connected':
    case 'ping':
    case 'pong':
    case 'authenticated':
      return { kind: type };
    case 'error':
      return readError(frame);
    case 'orderbook.snapshot':
    case 'orderbook.delta':
    case 'last_trade_price':
    case 'market.status_update':
    case 'trade.executed':
      return { kind: 'messages', label: type, messages: readBookFrame(type, frame, tokens) };
    default:
      return { kind: 'messages', label: type, messages: [readUserFrame(type, frame, tokens)] };
  }
}

function readError(frame: unknown): Frame {
  const { message, code } = errorFrame.parse(frame);
  return {
    kind: 'error',
    message: typeof message === 'string' ? excerpt(message, 300) : '',
    code: typeof code === 'string' ? excerpt(code, 60).toLowerCase() : undefined,
  };
}

function unrecognised(frameType: string, detail: string): Frame {
  const label = FRAME_TYPES.find((known) => known === frameType) ?? 'other';
  const message: VenueMessage = {
    kind: 'unrecognised',
    frameType: excerpt(frameType, TYPE_LENGTH_MAX),
    detail,
  };
  return { kind: 'messages', label, messages: [message] };
}
