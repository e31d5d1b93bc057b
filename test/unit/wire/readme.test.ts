// The page of this room against the code: every code, every silence, every switch it names.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CODE_CONSEQUENCES } from '../../../src/domain/codes.ts';
import { CURRENT_DIALECT } from '../../../src/paper/api/dialect.ts';
import { paperSettings } from '../../../src/paper/options.ts';
import { SOCKET_SETTINGS, VENUE_LIMITS } from '../../../src/venue/options.ts';
import { WIRE_CHOICES } from '../../../src/wire/choices.ts';
import { VENUE_CODES } from '../../../src/wire/codes.ts';
import { ANSWERS, CONFIRMED_ELSEWHERE } from '../../conformance/answers.ts';
import { CARDS } from '../../conformance/cards.ts';
import { settings } from '../../support/engine-driver.ts';
import { USUAL_TIMING } from '../../support/usual-timing.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = readFileSync(`${ROOT}src/wire/README.md`, 'utf8');
const FAULTS = readFileSync(`${ROOT}src/paper/api/faults.ts`, 'utf8');

type Silence = {
  readonly row: number;
  readonly question: string;
  readonly choice: string;
  readonly setting: string;
  readonly other: string;
  readonly proof: string;
};

const SILENCES: readonly Silence[] = PAGE.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, row = '', question = '', choice = '', setting = '', other = '', proof = ''] = cells;
  return /^\d+$/.test(row) ? [{ row: Number(row), question, choice, setting, other, proof }] : [];
});

const { rules, sockets, budgets } = paperSettings({ events: [] });

/** Every option that a switch of the page may name. */
const OPTIONS: Readonly<Record<string, object>> = {
  dialect: CURRENT_DIALECT,
  rules,
  sockets,
  budgets,
  choices: WIRE_CHOICES,
  socket: SOCKET_SETTINGS,
  limits: VENUE_LIMITS,
  book: { unified: 'auto', ...settings().book },
  timing: USUAL_TIMING,
};

function exists(name: string): boolean {
  const [group = '', key] = name.split('.');
  const options = OPTIONS[group];
  return options !== undefined && (key === undefined || key in options);
}

describe('the table of silences', () => {
  it('counts its rows without a gap, each with a question and a choice', () => {
    expect(SILENCES.map(({ row }) => row)).toEqual(SILENCES.map((_, index) => index + 1));
    expect(SILENCES.filter(({ question, choice }) => question === '' || choice === '')).toEqual([]);
    expect(SILENCES.length).toBeGreaterThanOrEqual(45);
  });

  it('names only switches that exist', () => {
    const named = SILENCES.flatMap(({ setting, other }) => [
      ...`${setting} ${other}`.matchAll(/`([a-z]+(?:\.\w+)?)`(?! ›)/gi),
    ]).map(([, name]) => String(name));
    const switches = named.filter((name) => Object.hasOwn(OPTIONS, name.split('.')[0] ?? ''));
    expect(switches.length).toBeGreaterThan(45);
    expect(switches.filter((name) => !exists(name))).toEqual([]);
  });

  it('names only faults that can be planned', () => {
    const named = [...PAGE.matchAll(/`faults` › ((?:`\w+`(?:, )?)+)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/`(\w+)`/g)].map(([, fault]) => String(fault)),
    );
    const known = (fault: string) =>
      FAULTS.includes(`kind: '${fault}'`) || ['shiftClock', 'mute'].includes(fault);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((fault) => !known(fault))).toEqual([]);
  });

  it('has each switch of an answer in the rows that the answer names', () => {
    const missing = ANSWERS.flatMap((answer) =>
      answer.rows
        .filter((row) => !isNamed(answer.switch, SILENCES[row - 1]))
        .map((row) => `${answer.switch} in row ${row}`),
    );
    expect(missing).toEqual([]);
  });

  it('has a proof for every row', () => {
    const answered = new Set(ANSWERS.flatMap(({ rows }) => rows));
    const unconfirmed = SILENCES.filter(
      ({ row }) => !answered.has(row) && !(row in CONFIRMED_ELSEWHERE),
    );
    expect(unconfirmed.map(({ row, question }) => `${row}: ${question}`)).toEqual([]);
  });

  it('says where each proof is', () => {
    const files = Object.values(CONFIRMED_ELSEWHERE).filter((proof) => proof.endsWith('.ts'));
    expect(files.filter((file) => !existsSync(`${ROOT}${file}`))).toEqual([]);
    const cards = new Set<string>(CARDS.map(({ id }) => id));
    const named = Object.values(CONFIRMED_ELSEWHERE).filter((proof) => proof.startsWith('C-'));
    expect(named.filter((id) => !cards.has(id))).toEqual([]);
    const wrong = SILENCES.filter(({ row, proof }) => {
      const elsewhere = CONFIRMED_ELSEWHERE[row];
      return !proof.includes(elsewhere?.replace('test/conformance/', '') ?? 'answers.test.ts');
    });
    expect(wrong.map(({ row, proof }) => `${row}: ${proof}`)).toEqual([]);
  });

  it('leaves no dialect out', () => {
    const missing = Object.keys(CURRENT_DIALECT).filter(
      (name) => !PAGE.includes(`dialect.${name}`),
    );
    // Accepting texts is the venue's leniency; we always send numbers.
    expect(missing).toEqual(['acceptsTextNumbers']);
  });
});

describe('the table of errors', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| ([\d, ]+) \| `(\w+)` \|$/gm)].map(
    ([, code, statuses = '', consequence]) => [code, statuses, consequence],
  );

  it('has every code with its statuses and its consequence', () => {
    const wanted = Object.entries(CODE_CONSEQUENCES).map(([code, consequence]) => [
      code,
      VENUE_CODES[code as keyof typeof VENUE_CODES].join(', '),
      consequence,
    ]);
    expect(rows).toEqual(wanted);
  });

  it('says what the daemon does for each consequence', () => {
    const told = [...PAGE.matchAll(/^\| `(\w+)` \| [A-Z].+ \|$/gm)].map(([, name]) => String(name));
    const used = [...new Set<string>(Object.values(CODE_CONSEQUENCES))];
    expect(told.toSorted()).toEqual(expect.arrayContaining(used.toSorted()));
  });
});

/** An option is named as it is; a fault after its plan. */
function isNamed(name: string, silence: Silence | undefined): boolean {
  const [group = '', fault] = name.split(' › ');
  const cell = `${silence?.setting} ${silence?.other}`;
  if (fault === undefined) return cell.includes(`\`${group}\``);
  return cell.includes('faults') || cell.includes(fault);
}
