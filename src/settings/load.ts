// Reads a configuration file and the environment into frozen settings, or says all that is wrong.

import type { CoreSettings } from '../domain/input.ts';
import { Secret } from '../domain/secret.ts';
import { readBoundedFile, readBoundedFileBehind } from './bounded-file.ts';
import { coreChoice } from './core-choice.ts';
import { checkTogether, writesAllowed } from './cross.ts';
import { deepFreeze } from './freeze.ts';
import { isMap, type Keys, type Reading, type SectionSpec, type ValuesOf } from './keys.ts';
import type { StrategySpecs } from './markets.ts';
import { type Problem, Problems, SettingsError } from './problems.ts';
import { readRoleTokens, tokenFault } from './role-tokens.ts';
import { guardSchema, killSchema, settingsSchema } from './schema.ts';
import { STOP_DEADLINE_SEC } from './schema-guard.ts';
import type { NamedSettings } from './selected.ts';
import type { Environment, FileSettings, Settings, SettingsSource } from './settings.ts';
import { readSection } from './tree.ts';
import { readYaml, readYamlSections, type YamlText } from './yaml.ts';

/**
 * Reads and validates a configuration.
 *
 * @returns Settings that are frozen all the way down.
 * @throws {SettingsError} With every problem at once.
 */
export function loadSettings(source: SettingsSource): Settings {
  return parseSettings(readSettingsText(source.file), source);
}

/**
 * The same from text that was already read.
 *
 * @param change - What a command puts in place of what the file says, before it is checked.
 * @throws {SettingsError} With every problem at once.
 */
export function parseSettings(
  text: string,
  source: SettingsSource,
  change: (value: unknown) => unknown = (value) => value,
): Settings {
  const yaml = readYaml(text);
  if (yaml.problems.length > 0)
    throw new SettingsError({ file: source.file, problems: yaml.problems });
  const problems = new Problems(yaml.lineOf);
  const env = withoutEmpty(source.env);
  const controlToken = readControlToken(env, problems);
  const notifyUrls = readNotifyUrls(env, problems);
  readRoleTokens(env, problems);
  const values = readAll(source.strategies, change(yaml.value), { problems, env });
  if (values === undefined || problems.count > 0) {
    throw new SettingsError({ file: source.file, problems: problems.all() });
  }
  return deepFreeze({ ...values, controlToken, notifyUrls });
}

/** `--config <(decrypt run.yaml)` takes its time, and whoever kills does nothing else meanwhile. */
const PIPE_MS_MAX = 10_000;

/** The part of the settings that a kill needs. */
export type KillSettings = Pick<
  Settings,
  'venue' | 'timing' | 'http' | 'journal' | 'controlToken'
> & {
  /** Whose orders are meant where nothing else was asked for; the rest of the section is the trader's. */
  readonly orders: Pick<Settings['orders'], 'scope'>;
  /** How long it may take; the rest of the section is the guard's. */
  readonly guard: Pick<Settings['guard'], 'stopDeadlineSec'>;
};

/**
 * Reads what a kill needs and looks at nothing else, so that a file which no daemon would start
 * with still stops one: not even YAML has to be right elsewhere in it. A control token that cannot be right
 * is left out.
 *
 * @param onFault - Notified of a file that is no YAML as a whole.
 * @throws {SettingsError} When the file cannot be read, or these parts of it are wrong.
 */
export function loadKillSettings(
  source: PartSource,
  onFault: (error: SettingsError) => void = () => {},
): KillSettings {
  const schema = killSchema();
  const text = readSettingsText(source.file, PIPE_MS_MAX);
  const { problems } = readYaml(text);
  const names = [...Object.keys(schema.keys), 'orders', 'guard'];
  const yaml = readYamlSections(text, names);
  // Without its address the venue would be the one of a paper run.
  const venue = isMap(yaml.value) ? yaml.value['venue'] : undefined;
  const hasVenue = (isMap(venue) && 'baseUrl' in venue) || hasVenueIn(source.env);
  const lost = lostColons(yaml, names);
  if (lost.length > 0) throw new SettingsError({ file: source.file, problems: lost });
  if (problems.length === 0) return readPart(yaml, source, schema);
  const error = new SettingsError({ file: source.file, problems });
  if (yaml.problems.length > 0 || !hasVenue) throw error;
  onFault(error);
  return readPart(yaml, source, schema);
}

/** `orders { scope: own }` has a key `orders { scope`: the section goes unseen, and its defaults are other ones. */
function lostColons({ value, lineOf }: YamlText, names: readonly string[]): readonly Problem[] {
  const keys = isMap(value) ? Object.keys(value) : [];
  return keys.flatMap((key) => {
    const name = names.find((each) => key !== each && new RegExp(`^${each}\\W`).test(key));
    if (name === undefined) return [];
    return { path: key, line: lineOf([key]), message: `is no section; \`${name}:\` may be meant` };
  });
}

function hasVenueIn(env: Environment): boolean {
  return (env['VENUE_BASE_URL']?.trim() ?? '') !== '';
}

/** The part of the settings that the guard needs. */
export type GuardSettings = KillSettings & Pick<Settings, 'logging' | 'guard' | 'notifyUrls'>;

/**
 * Reads what the guard needs and looks at nothing else: strategies are the trader's.
 *
 * @throws {SettingsError} When the file cannot be read, or these parts of it are wrong.
 */
export function loadGuardSettings(source: PartSource): GuardSettings {
  return loadPart(source, guardSchema());
}

type PartSource = Omit<SettingsSource, 'strategies'>;

type Part<Own extends Keys> = ValuesOf<SectionSpec<Own>> &
  Pick<Settings, 'notifyUrls'> &
  Pick<KillSettings, 'controlToken' | 'orders'> &
  (Own extends { readonly guard: unknown } ? unknown : Pick<KillSettings, 'guard'>);

function loadPart<Own extends Keys>(source: PartSource, schema: SectionSpec<Own>): Part<Own> {
  return readPart(readYaml(readSettingsText(source.file)), source, schema);
}

function readPart<Own extends Keys>(
  yaml: YamlText,
  { file, env }: PartSource,
  schema: SectionSpec<Own>,
): Part<Own> {
  if (yaml.problems.length > 0) throw new SettingsError({ file, problems: yaml.problems });
  const problems = new Problems(yaml.lineOf);
  const given = withoutEmpty(env);
  const tokenProblems = new Problems();
  const controlToken = readControlToken(given, tokenProblems);
  const values = readSection(schema, only(Object.keys(schema.keys), yaml.value), [], {
    problems,
    env: given,
  });
  if (values === undefined) throw new SettingsError({ file, problems: problems.all() });
  return deepFreeze({
    guard: { stopDeadlineSec: readStopDeadline(yaml.value) },
    ...values,
    orders: { scope: readScope(yaml.value) },
    controlToken: tokenProblems.count === 0 ? controlToken : undefined,
    // What cannot be right is left out: it must not keep anybody from cancelling.
    notifyUrls: readNotifyUrls(given, new Problems()),
  });
}

/** Anything but a plain `own` means the account: no daemon starts with it, and a kill must cancel. */
function readScope(value: unknown): KillSettings['orders']['scope'] {
  const orders = isMap(value) ? value['orders'] : undefined;
  return isMap(orders) && orders['scope'] === 'own' ? 'own' : 'account';
}

/** What cannot be right is the default: a mistake there must not keep anybody from cancelling. */
function readStopDeadline(value: unknown): number {
  const section = isMap(value) ? value['guard'] : undefined;
  const stated = isMap(section) ? section['stopDeadlineSec'] : undefined;
  const isRight = typeof stated === 'number' && Number.isSafeInteger(stated) && stated >= 0;
  return isRight ? stated : STOP_DEADLINE_SEC;
}

function only(names: readonly string[], value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** A cancel or a read is made once more when what was refused could be cured. */
const REQUESTS_OF_ANSWER = 2;
/** Waiting for a turn, and curing. */
const ANSWER_MARGIN_MS = 5_000;

/** The part of the settings that the core acts on. */
export function coreSettings(settings: NamedSettings): CoreSettings {
  const { risk, orders, book, trust, timing, capital, account } = settings;
  // Its share of the account waits for a restart, and what stands beside it in the file does not.
  const writesPer10s = Math.min(orders.writesPer10s, writesAllowed(settings.venue));
  const answerMs = REQUESTS_OF_ANSWER * settings.venue.requestTimeoutMs + ANSWER_MARGIN_MS;
  return {
    markets: settings.markets.map(coreChoice),
    risk,
    orders: { ...orders, writesPer10s },
    book,
    trust,
    timing: { ...timing, answerMs },
    capital,
    account,
  };
}

function readAll(
  strategies: StrategySpecs,
  value: unknown,
  reading: Reading,
): FileSettings | undefined {
  const values = readSection(settingsSchema(strategies), value, [], reading);
  if (values !== undefined) checkTogether(values, reading);
  return values;
}

function readControlToken(env: Environment, problems: Problems): Secret | undefined {
  const token = env['BOOKEND_CONTROL_TOKEN']?.trim();
  if (token === undefined) return undefined;
  const fault = tokenFault(token);
  if (fault !== undefined) problems.add([], `BOOKEND_CONTROL_TOKEN ${fault}`);
  return new Secret(token);
}

/** An empty variable is an unset one: compose files and units write `NAME=` for "not given". */
function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
}

/** The text of a file. @throws {SettingsError} When it cannot be read. */
export function readSettingsText(file: string, waitMs = 0): string {
  try {
    return readBoundedFile(file, waitMs);
  } catch (error) {
    throw unread(file, error);
  }
}

/** The same where nobody may wait for a disk. @throws {SettingsError} When it cannot be read. */
export async function readSettingsTextBehind(
  file: string,
  read = readBoundedFileBehind,
): Promise<string> {
  return await read(file).catch((error: unknown) => {
    throw unread(file, error);
  });
}

function unread(file: string, cause: unknown): SettingsError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  const problems = [{ path: '', line: undefined, message: unreadText(code) }];
  return new SettingsError({ file, problems }, { cause });
}

function unreadText(code: string): string {
  switch (code) {
    case 'ENOENT':
      return 'there is no such file (ENOENT); `bookend init` writes one';
    case 'EACCES':
      return 'this user may not read it (EACCES); chmod u+r, or run as its owner';
    case 'EISDIR':
      return 'is a folder (EISDIR); name the file in it';
    case 'EAGAIN':
      return 'is a pipe or a terminal, and has nothing to say (EAGAIN); name a file';
    default:
      return `cannot be read (${code})`;
  }
}

/** Addresses of as many chats; each has a queue of its own. */
const NOTIFY_URLS_MAX = 5;

/** Whoever knows such an address may write there. */
function readNotifyUrls(env: Environment, problems: Problems): readonly Secret[] {
  const texts = (env['BOOKEND_NOTIFY_URLS'] ?? '').split(/[\s,]+/).filter((text) => text !== '');
  if (texts.length > NOTIFY_URLS_MAX) {
    problems.add([], `BOOKEND_NOTIFY_URLS must name ${NOTIFY_URLS_MAX} addresses at the most`);
  }
  return texts.slice(0, NOTIFY_URLS_MAX).flatMap((text, index) => {
    const wrong = notifyUrlFault(text);
    if (wrong === undefined) return [Secret.ofAddress(text)];
    problems.add([], `BOOKEND_NOTIFY_URLS: address ${index + 1} must ${wrong}`);
    return [];
  });
}

function notifyUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'be http://… or https://…, with spaces or commas between addresses';
  }
  try {
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return undefined;
  } catch {
    return 'have %25 for each % in its user and password';
  }
}
