// Tokens that give less than the control token, from the environment alone.

import { Secret } from '../domain/secret.ts';
import type { Problems } from './problems.ts';
import type { Environment } from './settings.ts';

/** Each opens what its role may do, and nothing else. */
export type RoleTokens = {
  readonly view?: Secret;
  readonly trade?: Secret;
  readonly kill?: Secret;
};

/** A token this short could be guessed over the network. */
const TOKEN_LENGTH_MIN = 16;

/** What is wrong with a token: whoever has one that fits in no header is told that it is not the right one. */
export function tokenFault(text: string): string | undefined {
  if (text.length < TOKEN_LENGTH_MIN) return `must have ${TOKEN_LENGTH_MIN} characters or more`;
  if (/^[\x20-\x7e]+$/.test(text)) return undefined;
  return 'must have no characters beyond ASCII: a header carries none of them';
}

const VARIABLES = {
  view: 'BOOKEND_VIEW_TOKEN',
  trade: 'BOOKEND_TRADE_TOKEN',
  kill: 'BOOKEND_KILL_TOKEN',
} as const;

/** Those that can be used; a token of two roles would give the larger one to whoever has it, and is none. */
export function readRoleTokens(env: Environment, problems?: Problems): RoleTokens {
  return {
    ...one('view', env, problems),
    ...one('trade', env, problems),
    ...one('kill', env, problems),
  };
}

function one(role: keyof RoleTokens, env: Environment, problems: Problems | undefined): RoleTokens {
  const name = VARIABLES[role];
  const text = textOf(env, name);
  if (text === undefined) return {};
  const others = ['BOOKEND_CONTROL_TOKEN', ...Object.values(VARIABLES)].filter(
    (other) => other !== name && textOf(env, other) === text,
  );
  const fault = tokenFault(text);
  if (fault !== undefined) problems?.add([], `${name} ${fault}`);
  const [other] = others;
  if (other !== undefined) problems?.add([], `${name} must not be the same as ${other}`);
  return fault !== undefined || other !== undefined ? {} : { [role]: new Secret(text) };
}

function textOf(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}
