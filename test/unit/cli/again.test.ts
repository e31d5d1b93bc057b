// A command as it is to be typed.

import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord, typed } from '../../../src/cli/again.ts';

it.each(['mkt_1', 'm<!channel>"}', "it's; touch /tmp/x", '$(id)`id`\\', 'a b\t*', ''])(
  'the word %j is that word to a shell',
  (text) => {
    const seen = execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
    expect(seen).toBe(text.replace('\t', ' '));
  },
);

it('a file with a blank in its name is one word', () => {
  expect(typed({}, 'resume', 'my bot.yaml')).toBe("bookend resume --config 'my bot.yaml'");
  expect(typed({}, 'resume', 'config/my.yaml')).toBe('bookend resume --config config/my.yaml');
});
