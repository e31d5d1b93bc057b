// What the trader answers an operator: done, refused since the state does not allow it, or failed.

import { NO_MARKETS } from '../domain/view.ts';
import type { KillResult } from '../guard/kill.ts';
import type { FileSettings } from '../settings/settings.ts';
import { accountMark } from './account-mark.ts';
import type { DaemonOptions } from './compose.ts';
import { ControlRefused, type Daemon } from './daemon.ts';
import { readSettings, type Wish } from './http-words.ts';
import type { ConfigPreview } from './preview.ts';

type Answer = { readonly status: number; readonly body: object };

export type AnswerNeeds = {
  readonly options: Pick<DaemonOptions, 'settings' | 'credentials' | 'log'>;
  readonly daemon: Daemon;
  /** `undefined` while it cannot be said. */
  readonly preview: (settings: FileSettings) => ConfigPreview | undefined;
};

/** Never rejects: texts of errors stay inside, as they may quote what nobody outside should read. */
export async function answerWish(needs: AnswerNeeds, wish: Wish): Promise<Answer> {
  try {
    return await answered(needs, wish);
  } catch (error) {
    // Its own words are what the daemon says of its state.
    if (error instanceof ControlRefused) return { status: 409, body: { error: error.message } };
    needs.options.log.error('http.failed', { wish: wish.kind, detail: String(error) });
    return { status: 500, body: { error: 'internal error' } };
  }
}

async function answered(needs: AnswerNeeds, wish: Wish): Promise<Answer> {
  const { daemon } = needs;
  switch (wish.kind) {
    case 'kill':
      return killAnswer(await daemon.kill(wish.by), needs);
    case 'pause': {
      await daemon.pause(wish.by);
      const unwritten = daemon.view(NO_MARKETS).unwrittenStops ?? [];
      const onDisk = !unwritten.includes('pause');
      return { status: 200, body: { accepted: 'pause', onDisk } };
    }
    case 'resume':
      await daemon.resume(wish.by);
      return { status: 200, body: { accepted: 'resume' } };
    case 'sets':
      return { status: 200, body: await daemon.sets(wish.order) };
    case 'preview': {
      const found = needs.preview(readSettings(wish.settings));
      if (found !== undefined) return { status: 200, body: found };
      return { status: 503, body: { error: 'the daemon is starting' } };
    }
  }
}

/** Of which venue and account: whoever kills from elsewhere may have reached another daemon. */
function killAnswer(
  result: KillResult,
  { options: { settings, credentials } }: Pick<AnswerNeeds, 'options'>,
): Answer {
  if (result.kind !== 'proven') return { status: 500, body: { error: 'not proven', ...result } };
  const account = accountMark(settings.venue.baseUrl, credentials.current());
  return { status: 200, body: { ...result, account } };
}
