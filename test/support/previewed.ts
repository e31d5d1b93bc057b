// A preview at once, for tests in which nothing else goes on meanwhile.

import type { Engine } from '../../src/core/engine.ts';
import type { CoreSettings } from '../../src/domain/input.ts';
import type { QuotesPreview } from '../../src/domain/preview.ts';

export function previewed(engine: Engine, settings: CoreSettings): QuotesPreview {
  const steps = engine.preview(settings);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
