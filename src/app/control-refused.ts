/** Nothing of that name is quoted here, so that there is nothing to stop. */
export const NOT_QUOTED = 'not_quoted';

/** What an operator asked for did not happen; over HTTP it is a conflict with the state. */
export class ControlRefused extends Error {
  override readonly name = 'ControlRefused';
  /** For programs, where they have to tell it from others. */
  readonly kind: typeof NOT_QUOTED | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly kind?: typeof NOT_QUOTED }) {
    super(message, options);
    this.kind = options?.kind;
  }
}
