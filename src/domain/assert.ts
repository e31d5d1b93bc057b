// Assertions stay on in production: what we got wrong stops the bot through its breaker.

export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws when a statement about our own code is false. @throws {AssertionError} */
export function assert(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new AssertionError(`assertion failed: ${statement}`);
}

/** Marks the branch of a complete switch that no value can reach. @throws {AssertionError} */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
