// An HTTP address that is asked again and again.

import { Agent, fetch, type Response } from 'undici';
import { excerpt } from '../domain/excerpt.ts';
import type { UnixMs } from '../domain/time.ts';
import type { Question } from './request.ts';
import { causeText, retryMs, type Source, type SourceTools } from './source.ts';

/** A source that is down is still asked this often. */
const RETRY_MS_MAX = 10_000;

/** A session of some hours is kept alive this often. */
const KEEP_ALIVE_MS = 1_800_000;
/** Of an answer that is no price only its beginning is read. */
const FAULT_BYTES_MAX = 2_048;
const FAULT_LENGTH_MAX = 100;

/** Asks every `pollMs`; one question at a time. */
export function readHttpSource(tools: SourceTools, question: Question): Source {
  const source = new HttpSource(tools, question);
  source.start();
  return source;
}

class HttpSource implements Source {
  readonly #tools: SourceTools;
  readonly #question: Question;
  readonly #agent: Agent;
  #callOff: () => void = () => undefined;
  #request: AbortController | undefined;
  #failures = 0;
  #isStopped = false;
  #keptAtMs: UnixMs;

  constructor(tools: SourceTools, question: Question) {
    this.#tools = tools;
    this.#question = question;
    this.#agent = new Agent({ connect: { lookup: tools.lookup } });
    this.#keptAtMs = tools.clock.nowMs();
  }

  start(): void {
    void this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff();
    this.#request?.abort();
    void this.#agent.destroy();
  }

  async #ask(): Promise<void> {
    const { clock, sink, timers } = this.#tools;
    const askedAtMs = clock.nowMs();
    try {
      await this.#keepAlive(askedAtMs);
      const text = await this.#fetched(this.#question);
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

  async #keepAlive(nowMs: UnixMs): Promise<void> {
    const { keepAlive: url } = this.#question;
    const keptMs = nowMs - this.#keptAtMs;
    if (url === undefined || (keptMs >= 0 && keptMs < KEEP_ALIVE_MS)) return;
    this.#keptAtMs = nowMs;
    try {
      await this.#fetched({ ...this.#question, url, body: undefined, bytesMax: FAULT_BYTES_MAX });
    } catch (error) {
      // A session that has ended is told by the next question.
      if (!this.#isStopped) this.#tools.sink.onTrouble(`keep alive: ${causeText(error)}`);
    }
  }

  async #fetched({ url, method, body, headers, bytesMax }: Question): Promise<string> {
    const { choice, timers } = this.#tools;
    const request = new AbortController();
    this.#request = request;
    const late = new Error(`no answer within ${choice.timeoutMs} ms`);
    const callOff = timers.after(choice.timeoutMs, () => request.abort(late));
    try {
      const response = await fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: request.signal,
        dispatcher: this.#agent,
        // A secret must not follow to another address.
        redirect: 'error',
      });
      if (response.status !== 200) throw new Error(await faultOf(response));
      return await boundedText(response, bytesMax);
    } finally {
      callOff();
    }
  }
}

/** The status, and how its text begins where it is a short one. */
async function faultOf(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  if (!(isJson && length <= FAULT_BYTES_MAX)) {
    await response.body?.cancel();
    return `answers ${response.status}`;
  }
  const text = await boundedText(response, FAULT_BYTES_MAX);
  return `answers ${response.status}: ${excerpt(text, FAULT_LENGTH_MAX)}`;
}

/** @throws {Error} For an answer that is longer; nothing more of it is fetched. */
export async function boundedText(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  bytesMax: number,
): Promise<string> {
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
