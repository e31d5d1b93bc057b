// The last line judged as the first: bugs are planted in the guard and in `bookend kill`, and each must be found.

import { describe, expect, it } from 'vitest';
import { BUGS } from './bugs.ts';
import { type GuardScene, SCENES } from './scenes.ts';

/** The first scene that a guard with this bug in it fails. */
async function found(name: string): Promise<string | undefined> {
  const module = await import(/* @vite-ignore */ `./scenes.ts?planted=${name}`);
  for (const scene of module.SCENES as readonly GuardScene[]) {
    const isPassed = await scene.run().then(
      () => true,
      () => false,
    );
    if (!isPassed) return scene.name;
  }
  return undefined;
}

describe('the guard as it is', () => {
  it.each(SCENES)('$name', async ({ run }) => {
    await run();
  });
});

describe('a guard', () => {
  for (const { name, about } of BUGS) {
    it(`that ${about} is found`, async () => {
      expect(await found(name)).toBeDefined();
    });
  }

  it('has no two bugs of one name', () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
  });
});
