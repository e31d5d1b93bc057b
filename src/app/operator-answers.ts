// What the trader answers an operator: done, refused since the state does not allow it, or failed.

import { NO_MARKETS } from '../domain/view.ts';
import type { KillResult } from '../guard/kill.ts';
import type { MarketAsk } from '../telemetry/http-operator.ts';
import { accountMark } from './account-mark.ts';
import type { DaemonOptions } from './compose.ts';
import { ControlRefused } from './control-refused.ts';
import type { Daemon } from './daemon.ts';
import { type Ask, readSettings } from './http-words.ts';
import type { Reloading } from './reload.ts';

type Answer = { readonly status: number; readonly body: object };

const STARTING: Answer = { status: 503, body: { error: 'the daemon is starting' } };

export type AnswerNeeds = {
  readonly options: Pick<DaemonOptions, 'settings' | 'credentials' | 'log'>;
  readonly daemon: Pick<Daemon, 'kill' | 'pause' | 'resume' | 'ofMarket' | 'sets' | 'view'>;
  /** `undefined` while the daemon is starting. */
  readonly reloading: () => Pick<Reloading, 'preview' | 'edit'> | undefined;
};

/** Never rejects: texts of errors stay inside, as they may quote what nobody outside should read. */
export async function answerAsk(needs: AnswerNeeds, ask: Ask): Promise<Answer> {
  try {
    return await answered(needs, ask);
  } catch (error) {
    // Its own words are what the daemon says of its state.
    if (error instanceof ControlRefused) {
      const { message, kind } = error;
      return { status: 409, body: { error: message, kind } };
    }
    needs.options.log.error('http.failed', { ask: ask.kind, detail: String(error) });
    return { status: 500, body: { error: 'internal error' } };
  }
}

async function answered(needs: AnswerNeeds, ask: Ask): Promise<Answer> {
  const { daemon } = needs;
  switch (ask.kind) {
    case 'kill':
      return killAnswer(await daemon.kill(ask.by), needs);
    case 'pause': {
      await daemon.pause(ask.by);
      const unwritten = daemon.view(NO_MARKETS).unwrittenStops ?? [];
      const onDisk = !unwritten.includes('pause');
      return { status: 200, body: { accepted: 'pause', onDisk } };
    }
    case 'resume':
      await daemon.resume(ask.by);
      return { status: 200, body: { accepted: 'resume' } };
    case 'market':
      return await marketAnswer(daemon, ask.of);
    case 'sets':
      return { status: 200, body: await daemon.sets(ask.order) };
    case 'edit': {
      const reloading = needs.reloading();
      if (reloading === undefined) return STARTING;
      return { status: 200, body: await reloading.edit(ask.of, ask.by) };
    }
    case 'preview': {
      const found = await needs.reloading()?.preview(readSettings(ask.settings));
      return found === undefined ? STARTING : { status: 200, body: found };
    }
  }
}

/** A kill that is not confirmed by now goes on: the state says when it is. */
async function marketAnswer(
  daemon: Pick<Daemon, 'ofMarket' | 'view'>,
  ask: MarketAsk,
): Promise<Answer> {
  const { markets, isConfirmed } = await daemon.ofMarket(ask);
  const unwritten = daemon.view(NO_MARKETS).unwrittenStops ?? [];
  const body = { accepted: ask.order, markets, isConfirmed };
  if (ask.order === 'kill' && !isConfirmed) {
    const detail = 'cancelled, and not confirmed yet: `stoppedMarkets` in the state says when';
    return { status: 202, body: { ...body, detail } };
  }
  return { status: 200, body: { ...body, onDisk: !unwritten.includes('marketStops') } };
}

/** Of which venue and account: whoever kills from elsewhere may have reached another daemon. */
function killAnswer(
  result: KillResult,
  { options: { settings, credentials } }: Pick<AnswerNeeds, 'options'>,
): Answer {
  if (result.kind !== 'confirmed')
    return { status: 500, body: { error: 'not confirmed', ...result } };
  const account = accountMark(settings.venue.baseUrl, credentials.current());
  return { status: 200, body: { ...result, account } };
}
