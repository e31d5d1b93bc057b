/** What an operator asked for did not happen; over HTTP it is a conflict with the state. */
export class ControlRefused extends Error {
  override readonly name = 'ControlRefused';
}
