// Questions on a terminal. What is typed ahead is kept for the next one, and an end of the input answers nothing.

import { createInterface } from 'node:readline';
import type { CliIo } from './io.ts';

export interface Asker {
  /** One line, trimmed; `undefined` once nobody answers any more. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** `undefined` where nobody sits at a terminal. */
export function askerOf({ stdin, stderr }: CliIo): Asker | undefined {
  if (stdin?.isTTY !== true || stderr.isTTY !== true) return undefined;
  const terminal = createInterface({ input: stdin, output: stderr });
  const lines = terminal[Symbol.asyncIterator]();
  // Input that has ended may have answers left that were typed ahead; an editor that is closed shows no prompt.
  let isOpen = true;
  terminal.once('close', () => {
    isOpen = false;
  });
  return {
    ask: async (question) => {
      // An editor of lines knows of one line.
      const cut = question.lastIndexOf('\n') + 1;
      stderr.write(question.slice(0, cut));
      const prompt = question.slice(cut);
      terminal.setPrompt(prompt);
      if (isOpen) terminal.prompt();
      else stderr.write(prompt);
      const { value, done } = await lines.next();
      if (done !== true) return value.trim();
      stderr.write('\n');
      return undefined;
    },
    close: () => terminal.close(),
  };
}
