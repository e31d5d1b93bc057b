// Bugs that once survived all tests are planted in the core and in the client, and each must be found.

import { describe, expect, it } from 'vitest';
import { SURVIVORS } from './bugs.ts';
import { SCENES, type Scene } from './scenes.ts';

/** The first scene that a program with this bug in it fails. */
async function found(name: string): Promise<string | undefined> {
  const module = await import(/* @vite-ignore */ `./scenes.ts?planted=${name}`);
  return (module.SCENES as readonly Scene[]).find(({ run }) => {
    try {
      run();
      return false;
    } catch {
      return true;
    }
  })?.name;
}

describe('the program as it is', () => {
  it.each(SCENES)('$name', ({ run }) => {
    expect(run).not.toThrow();
  });
});

describe('a program', () => {
  for (const { name, about } of SURVIVORS) {
    it(`that ${about} is found`, async () => {
      expect(await found(name)).toBeDefined();
    });
  }
});
