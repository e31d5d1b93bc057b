// What comes in beside the venue, and what goes out: configurations, prices from outside, bodies of operators, log lines.

import fc from 'fast-check';
import { jsonOr } from '../../../src/domain/json.ts';
import { Redactor } from '../../../src/domain/redact.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { readStatement } from '../../../src/feeds/statement.ts';
import { readYaml, readYamlSections } from '../../../src/settings/yaml.ts';
import { masked, maskedText } from '../../../src/telemetry/mask.ts';
import { readSetsOrder } from '../../../src/telemetry/sets-body.ts';
import { retryAfterMs } from '../../../src/venue/http/classify.ts';
import { FRAME_LENGTH_MAX } from '../../../src/wire/limits.ts';
import { BROKEN_TEXT, LONG, longTexts, mutated, NASTY, shaped } from './noise.ts';
import { BODY_MS_MAX, FRAME_MS_MAX, type Fuzz, inTime, must, running } from './target.ts';

const CONFIG = {
  venue: { baseUrl: 'http://127.0.0.1:8787/api' },
  markets: [{ event: 'rain', strategy: 'ladder', params: { levels: 2, size: 50 } }],
  risk: { maxLossUsdc: 100 },
};
/** Read at a start and when an operator has changed it; the longest ones have a test of their own. */
const CONFIG_MS_MAX = 500;
const YAML_UNITS = ['- ', '? ', 'a: ', '&a ', '*a ', '!x ', '"', "'", '|\n', '#\n', '\t', '{', 'é'];
const yamlText = fc.oneof(
  { weight: 30, arbitrary: mutated(CONFIG).map((value) => JSON.stringify(value) ?? '') },
  { weight: 10, arbitrary: BROKEN_TEXT },
  { weight: 20, arbitrary: fc.array(fc.constantFrom(...YAML_UNITS, 'markets:\n', '\n  ')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...YAML_UNITS).map((unit) => unit.repeat(5_000 / unit.length)),
  },
);

/** Any text is a configuration or a few complaints, in time. */
export const hostileConfigs: Fuzz = () =>
  running({
    name: 'configurations',
    cases: yamlText.map((text) => (typeof text === 'string' ? text : text.join(''))),
    check: (text) => {
      const { value, problems } = inTime(CONFIG_MS_MAX, () => readYaml(text));
      must((value === undefined) === problems.length > 0, 'a value or complaints');
      inTime(CONFIG_MS_MAX, () => readYamlSections(text, ['venue', 'risk']));
    },
  });

const FIELDS = { price: '/data/price', uncertainty: undefined, time: undefined };
const STATEMENT = { data: { price: 0.5 }, time: 1_763_000_000, uncertainty: 0.01 };
const statementText = fc.oneof(
  { weight: 20, arbitrary: mutated(STATEMENT).map((value) => JSON.stringify(value) ?? '') },
  { weight: 10, arbitrary: BROKEN_TEXT },
  {
    weight: 10,
    arbitrary: NASTY.map((value) => `${JSON.stringify(value)},0.01,2026-11-21T10:00:00Z`),
  },
  { weight: 1, arbitrary: longTexts(65_536) },
);

/** A source states a price, or is refused in words that have an end. */
export const hostileStatements: Fuzz = () =>
  running({
    name: 'prices from outside',
    cases: statementText,
    check: (text) => {
      const read = inTime(FRAME_MS_MAX, () =>
        readStatement(text, { fields: FIELDS, only: undefined }, false),
      );
      if (read.kind === 'stated') must(read.price > 0 && read.price < 1, `a price ${read.price}`);
      else must(JSON.stringify(read).length < 2_000, 'a refusal that is too long');
    },
  });

const SETS = { id: 'w-1', action: 'split', market: 'm-1', amount: '5' };
const operatorBody = fc.oneof(
  { weight: 20, arbitrary: mutated(SETS).map((value) => JSON.stringify(value) ?? '') },
  { weight: 5, arbitrary: shaped(Object.keys(SETS)).map((value) => JSON.stringify(value)) },
  { weight: 5, arbitrary: BROKEN_TEXT },
  { weight: 1, arbitrary: longTexts(600_000) },
);

/** A body of an operator is an order for complete sets, or is refused. */
export const hostileOrders: Fuzz = () =>
  running({
    name: 'bodies of operators',
    cases: operatorBody,
    check: (text) => {
      const order = inTime(BODY_MS_MAX, () => readSetsOrder(jsonOr(text, 1_000_000), 'me'));
      if (typeof order !== 'string') must(order.id.length <= 200, 'an id without an end');
    },
  });

const VENUE_NOW_MS = unixMs(1_795_000_000_000);
const retryAfter = fc.oneof(
  fc.constantFrom('0', '1', '-1', '1e9', 'soon', '0.5', 'Mon, 23 Nov 2026 07:00:30 GMT'),
  fc.constantFrom('Monday, 23-Nov-26 07:00:30 GMT', 'Mon Nov 23 07:00:30 2026'),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('9', ' ', '0.', 'Mon, ', 'GMT', '1e').map((unit) => unit.repeat(8_000)),
);

/** A wait that a venue asks for has an end. */
export const hostileWaits: Fuzz = () =>
  running({
    name: 'waits of a venue',
    cases: retryAfter,
    check: (header) => {
      const waitMs = inTime(FRAME_MS_MAX, () => retryAfterMs(header, VENUE_NOW_MS));
      must(waitMs === undefined || (waitMs >= 0 && waitMs <= 600_000), `a wait of ${waitMs} ms`);
    },
  });

const SECRETS = ['k3y/+ab"c\\d&e=f~Zy9', 'correct horse battery', 'c2VjcmV0LW9mLXRoZS1kYXk='];
const said = fc.oneof(
  { weight: 20, arbitrary: fc.oneof(NASTY, fc.jsonValue(), BROKEN_TEXT) },
  { weight: 1, arbitrary: fc.oneof(LONG, longTexts(FRAME_LENGTH_MAX)) },
);
const DISGUISES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text),
  encodeURIComponent,
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text, 'utf16le').toString('base64'),
  (text) => [...Buffer.from(text)].map((byte) => `0x${byte.toString(16)}`).join(', '),
  (text) => `${text.slice(0, 4)}\r\n ${text.slice(4)}`,
];
const LINES = DISGUISES.length - 1;
const UTF16 = 5;
const NUMBERS = 6;

/** Whatever is said becomes a log line in time, and no secret in it is shown. */
export const hostileWords: Fuzz = () => {
  const redactor = new Redactor();
  for (const secret of SECRETS) redactor.learn(secret);
  const place = fc.tuple(fc.nat(SECRETS.length - 1), fc.array(fc.nat(DISGUISES.length - 1)));
  return running({
    name: 'words in the log',
    cases: fc.tuple(said, place),
    check: ([value, [which, how]]) => {
      inTime(BODY_MS_MAX, () => masked({ detail: value }));
      const text = (typeof value === 'string' ? value : JSON.stringify(value)) ?? '';
      inTime(FRAME_MS_MAX, () => maskedText(text));
      const secret = SECRETS[which] ?? '';
      const [first = 0, second = 0] = how;
      const echo = DISGUISES[second]?.(DISGUISES[first]?.(secret) ?? '') ?? '';
      // A text that was escaped and then encoded as bytes is not looked for; the other way round is. Nor is one that
      // was encoded and then written in UTF-16.
      const isEscaped = [1, 2, NUMBERS, LINES].includes(first);
      if (isEscaped && second >= 3 && second !== LINES) return;
      if (first > 0 && second === UTF16) return;
      const shown = redactor.redact(`${text.slice(0, 2_000)} ${echo} `);
      must(!shown.includes(echo), `shows ${echo}`);
    },
  });
};
