// What the trader answers an operator whom it refuses.

import { expect, it } from 'vitest';
import { ControlRefused, NOT_QUOTED } from '../../../src/app/control-refused.ts';
import { type AnswerNeeds, answerAsk } from '../../../src/app/operator-answers.ts';

const nobody = (): never => {
  throw new Error('asked for by nobody');
};

/** Of a market everything is refused like this. */
function refusing(refused: ControlRefused): AnswerNeeds {
  const daemon = {
    ...{ kill: nobody, pause: nobody, resume: nobody, sets: nobody, view: nobody },
    ofMarket: () => Promise.reject(refused),
  };
  return {
    options: { settings: nobody, credentials: nobody, log: nobody } as never,
    daemon,
    reloading: nobody,
  };
}

const ask = { kind: 'market', of: { order: 'kill', market: 'm-1', by: 'me' } } as const;

it('a market that is not quoted here is told from one whose stop had no effect', async () => {
  const unquoted = refusing(new ControlRefused('no kill', { kind: NOT_QUOTED }));
  expect(await answerAsk(unquoted, ask)).toEqual({
    ...{ status: 409, body: { error: 'no kill', kind: NOT_QUOTED } },
  });
  const idle = refusing(new ControlRefused('no kill'));
  expect(await answerAsk(idle, ask)).toEqual({ status: 409, body: { error: 'no kill' } });
});
