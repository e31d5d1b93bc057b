// A command and the options that several share; nothing here takes long to load.

import { Command, InvalidArgumentError } from 'commander';

export const CONFIG_FLAG = '--config <file>';
export const CONFIG_DOC = 'configuration file (YAML)';
export const JSON_FLAG = '--json';
export const JSON_DOC = 'print the result as JSON';

export function command(name: string, description: string): Command {
  return new Command(name).description(description).allowExcessArguments(false);
}

/** What a parser of the domain makes of an option, `undefined` where it refuses. */
export function parsed<Value>(parse: (text: string) => Value, text: string): Value | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** A port as an option gives it, 0 for a free one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('not a port, 0 to 65535');
  return port;
}

/** Recorded time per real time. */
export function parseSpeed(text: string): number {
  const speed = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || speed < 0.01 || speed > 10_000) {
    throw new InvalidArgumentError('not a speed, 0.01 to 10000');
  }
  return speed;
}
