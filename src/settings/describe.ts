// The documentation of every key, made from the schema that validates it.

import type { Applies, Entry, KeySpec, Keys, SectionSpec } from './keys.ts';
import { paramKeys, type StrategySpecs } from './markets.ts';
import { settingsSchema } from './schema.ts';

export type KeyDoc = {
  /** `markets[].params.levels` */
  readonly path: string;
  readonly doc: string;
  readonly unit: string;
  /** What a right value is. */
  readonly rule: string;
  /** `undefined` when the key is required or may be absent. */
  readonly default: unknown;
  readonly required: boolean;
  readonly env: string | undefined;
  readonly applies: Applies;
  readonly counts: KeySpec<unknown>['counts'];
  /** Set on parameters, which only that strategy has. */
  readonly strategy: string | undefined;
};

/** Variables that are no keys of the file. */
export const ENVIRONMENT_DOCS: readonly { readonly name: string; readonly doc: string }[] = [
  { name: 'VENUE_API_KEY', doc: 'Public identifier of the API credentials.' },
  { name: 'VENUE_API_SECRET', doc: 'Signing secret.' },
  { name: 'VENUE_API_PASSPHRASE', doc: 'Passphrase, sent with every request.' },
  {
    name: 'VENUE_CREDENTIALS_FILE',
    doc: 'JSON file with apiKey, apiSecret and apiPassphrase instead of the three; read again after a 401.',
  },
  {
    name: 'BOOKEND_CONTROL_TOKEN',
    doc: 'Opens state, preview and control; 16 characters or more. Unset, the daemon makes one in `<journal>.token` for its own user.',
  },
  {
    name: 'BOOKEND_NOTIFY_URLS',
    doc: 'Addresses, with spaces between, to which a kill, a halt and a death are posted as JSON (`text` as Slack, Mattermost and Telegram read it).',
  },
  {
    name: 'BOOKEND_VIEW_TOKEN',
    doc: 'Opens what shows, and nothing that changes anything; 16 characters or more.',
  },
  {
    name: 'BOOKEND_TRADE_TOKEN',
    doc: 'Opens what shows, pause, resume, sets and parameters; no limits and no kill.',
  },
  { name: 'BOOKEND_KILL_TOKEN', doc: 'Opens what shows, and kill; no resume.' },
];

/** Every key of the configuration, parameters of the given strategies included. */
export function describeKeys(strategies: StrategySpecs): readonly KeyDoc[] {
  const params = [...strategies].flatMap(([name, strategy]) =>
    Object.entries(paramKeys(strategy)).map(([param, spec]) =>
      keyDoc(`markets[].params.${param}`, spec, name),
    ),
  );
  return [...sectionDocs(settingsSchema(strategies), ''), ...params];
}

/** The same as text, a paragraph for each key. */
export function describeText(strategies: StrategySpecs): string {
  const keys = describeKeys(strategies).map(
    (key) => `${key.path}${key.strategy === undefined ? '' : ` (${key.strategy})`}\n${facts(key)}`,
  );
  const variables = ENVIRONMENT_DOCS.map(({ name, doc }) => `${name}\n    ${doc}`);
  return `${[...keys, ...variables].join('\n')}\n`;
}

/** The same as Markdown, a table for each section and for the parameters of each strategy. */
export function describeMarkdown(strategies: StrategySpecs): string {
  const keys = describeKeys(strategies);
  const groups = [...new Set(keys.map(groupOf))];
  const tables = groups.map((group) => {
    const own = keys.filter((key) => groupOf(key) === group);
    return `## ${group}\n\n${table(own)}`;
  });
  const variables = ENVIRONMENT_DOCS.map(({ name, doc }) => `| \`${name}\` | ${cell(doc)} |`);
  const environment = `## Environment only\n\n${['| Variable | What it is |', '|---|---|', ...variables].join('\n')}`;
  return `${[INTRODUCTION, ...tables, environment].join('\n\n')}\n`;
}

const INTRODUCTION = `# Configuration, key by key

Made from the schema that validates it; a test keeps the two alike. A key that does not exist is
refused, and so is a credential. A **live** key takes effect when the file is saved or on SIGHUP,
the others at the next start. A parameter of a strategy counts from its **next requote**, or **now**,
which moves its quotes whatever their places in the queue are worth; what a change would do is said by
\`bookend check --against-running\`.`;

function groupOf(key: KeyDoc): string {
  if (key.strategy !== undefined) return `Parameters of the strategy ${key.strategy}`;
  return key.path.split(/[.[]/)[0] ?? '';
}

function table(keys: readonly KeyDoc[]): string {
  const rows = keys.map((key) => {
    const name = key.env === undefined ? `\`${key.path}\`` : `\`${key.path}\`, or \`${key.env}\``;
    const cells = [name, key.doc, key.rule, defaultText(key), liveText(key)];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  return [
    '| Key | What it is | Right values | Default | Live |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** A parameter says when its change counts, as its strategy declares it. */
function liveText({ applies, counts }: KeyDoc): string {
  if (applies !== 'live') return '';
  if (counts === undefined) return 'yes';
  return counts === 'now' ? 'now' : 'next requote';
}

function defaultText(key: KeyDoc): string {
  if (key.required) return 'required';
  return key.default === undefined ? 'none' : `\`${JSON.stringify(key.default)}\``;
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function whenText({ counts }: KeyDoc): string {
  return counts === 'requote' ? 'at the next requote' : 'at once';
}

function facts(key: KeyDoc): string {
  const value = key.default === undefined ? 'none' : JSON.stringify(key.default);
  const lines = [
    key.doc,
    `${key.rule}; ${key.required ? 'required' : `default ${value}`}`,
    key.applies === 'live' ? `takes effect ${whenText(key)}` : 'takes effect at the next start',
    ...(key.env === undefined ? [] : [`overridden by ${key.env}`]),
  ];
  return lines.map((line) => `    ${line}`).join('\n');
}

function sectionDocs(spec: SectionSpec<Keys>, prefix: string): readonly KeyDoc[] {
  return Object.entries(spec.keys).flatMap(([name, entry]) =>
    entryDocs(entry, prefix === '' ? name : `${prefix}.${name}`),
  );
}

function entryDocs(entry: Entry, path: string): readonly KeyDoc[] {
  switch (entry.kind) {
    case 'section':
      return sectionDocs(entry, path);
    case 'list':
      return [
        {
          path,
          doc: entry.doc,
          unit: 'list',
          rule: `a list of at most ${entry.lengthMax}`,
          default: entry.required ? undefined : [],
          required: entry.required,
          env: undefined,
          applies: entry.applies,
          counts: undefined,
          strategy: undefined,
        },
        ...sectionDocs(entry.items, `${path}[]`),
      ];
    case 'key':
      return [keyDoc(path, entry, undefined)];
  }
}

function keyDoc(path: string, spec: KeySpec<unknown>, strategy: string | undefined): KeyDoc {
  const { doc, unit, rule, required, env, applies, counts } = spec;
  return { path, doc, unit, rule, default: spec.default, required, env, applies, counts, strategy };
}
