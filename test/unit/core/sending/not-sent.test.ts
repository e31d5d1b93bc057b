// A placement that never left the process, as on a machine that gave it no time: nobody has refused it.

import { describe, expect, it } from 'vitest';
import { EngineDriver, settings } from '../../../support/engine-driver.ts';

const NOT_SENT = { kind: 'notSent', detail: 'decided on 6267 ms ago' } as const;

describe('placements that never left', () => {
  it('are tried again after a moment, however many before them did not leave either', () => {
    const driver = new EngineDriver();
    driver.start(settings());
    driver.healthyBook();
    for (let times = 0; times < 10; times += 1) {
      driver.tick();
      const unsent = driver.answerPlacements(NOT_SENT);
      expect(unsent, `after ${times} times`).not.toEqual([]);
      driver.run(1_500);
      driver.healthyBook();
    }
    driver.tick();
    expect(driver.acceptPlacements()).toHaveLength(2);
  });
});
