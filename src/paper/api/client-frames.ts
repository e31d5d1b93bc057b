// Frames that clients send, read strictly: whatever else comes is answered with an error frame.

import { z } from 'zod';
import { BOOK_DEPTH_DEFAULT, BOOK_DEPTH_MAX } from '../../wire/limits.ts';
import { readJson } from './json.ts';

/** Token ids in one frame; a client with more sends several frames. */
const TOKENS_PER_FRAME_MAX = 5_000;

const tokens = z.array(z.string().max(200)).min(1).max(TOKENS_PER_FRAME_MAX);
const depth = z.int().min(1).max(BOOK_DEPTH_MAX).default(BOOK_DEPTH_DEFAULT);
const text = z.string().min(1).max(500);

const clientFrame = z.union([
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('pong') }),
  z.object({ type: z.literal('subscribe'), channel: z.literal('trades'), markets: tokens }),
  z.object({
    type: z.literal('subscribe'),
    channel: z.literal('orderbook').optional(),
    markets: tokens,
    depth,
  }),
  z.object({
    type: z.literal('unsubscribe'),
    channel: z.enum(['orderbook', 'trades']).optional(),
    markets: tokens,
  }),
  z.object({ type: z.literal('auth'), token: z.string().min(1).max(8_192) }),
  z.object({
    type: z.literal('auth'),
    apiKey: text,
    passphrase: text,
    timestamp: text,
    signature: text,
  }),
]);

export type ClientFrame = z.infer<typeof clientFrame>;

/** A frame of the interface, or why it is none. @spec Events › Client frames */
export function readClientFrame(raw: string): ClientFrame | { readonly problem: string } {
  const read = readJson(raw);
  if (!read) return { problem: 'invalid_request: a frame is JSON' };
  const result = clientFrame.safeParse(read.value);
  return result.success ? result.data : { problem: `invalid_request: ${problemOf(read.value)}` };
}

function problemOf(parsed: unknown): string {
  const type =
    typeof parsed === 'object' && parsed !== null && 'type' in parsed ? parsed.type : undefined;
  if (type === 'auth') return 'auth needs apiKey, passphrase, timestamp and signature, or token';
  if (type === 'subscribe' || type === 'unsubscribe') return `${type} needs markets: string[]`;
  return 'unknown frame type';
}
