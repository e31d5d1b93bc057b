// An HTTP address that is asked again and again.

import type { UnixMs } from '../domain/time.ts';
import {
  causeText,
  retryMs,
  type Source,
  type SourceTools,
  STATEMENT_BYTES_MAX,
} from './source.ts';

/** A source that is down is still asked this often. */
const RETRY_MS_MAX = 10_000;

/** Asks with GET every `pollMs`; one question at a time. */
export function readHttpSource(tools: SourceTools): Source {
  const source = new HttpSource(tools);
  source.start();
  return source;
}

class HttpSource implements Source {
  readonly #tools: SourceTools;
  #callOff: () => void = () => undefined;
  #request: AbortController | undefined;
  #failures = 0;
  #isStopped = false;

  constructor(tools: SourceTools) {
    this.#tools = tools;
  }

  start(): void {
    void this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#request?.abort();
  }

  async #ask(): Promise<void> {
    const { clock, sink, timers } = this.#tools;
    const askedAtMs = clock.nowMs();
    try {
      const text = await this.#answer();
      if (this.#isStopped) return;
      this.#failures = 0;
      // The value is as old as the question at least.
      sink.onText(text, askedAtMs);
    } catch (error) {
      if (this.#isStopped) return;
      this.#failures += 1;
      sink.onFailure(causeText(error));
    }
    this.#callOff = timers.after(this.#delayMs(askedAtMs), () => void this.#ask());
  }

  #delayMs(askedAtMs: UnixMs): number {
    const { choice, clock, random } = this.#tools;
    if (this.#failures > 0) {
      const msMax = Math.max(choice.pollMs, RETRY_MS_MAX);
      return retryMs({ msMin: choice.pollMs, msMax }, this.#failures, random);
    }
    const tookMs = clock.nowMs() - askedAtMs;
    return Math.max(1, choice.pollMs - Math.max(0, tookMs));
  }

  async #answer(): Promise<string> {
    const { choice, timers } = this.#tools;
    const request = new AbortController();
    this.#request = request;
    const late = new Error(`no answer within ${choice.timeoutMs} ms`);
    const callOff = timers.after(choice.timeoutMs, () => request.abort(late));
    try {
      const response = await fetch(choice.from, {
        headers: headersOf(choice),
        signal: request.signal,
        // A secret must not follow to another address.
        redirect: 'error',
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(`answers ${response.status}`);
      }
      return await boundedText(response, STATEMENT_BYTES_MAX);
    } finally {
      callOff();
    }
  }
}

function headersOf({ auth }: SourceTools['choice']): Record<string, string> {
  const accept = 'application/json, text/plain;q=0.9, text/csv;q=0.8';
  return auth === undefined ? { accept } : { accept, [auth.header]: auth.secret.reveal() };
}

/** @throws {Error} For an answer that is longer; nothing more of it is fetched. */
export async function boundedText({ body }: Response, bytesMax: number): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    // Leaving the loop ends the transfer.
    if (length > bytesMax) {
      throw new Error(`answers with more than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
