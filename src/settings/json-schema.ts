// The schema of the configuration for editors: completion, hover texts and complaints while a file is written.
// JSON Schema says less than `bookend check`, which has rules of more than one key, too.

import type { Entry, KeySpec, Keys, ListSpec, SectionSpec, Shape } from './keys.ts';
import { paramKeys, type StrategySpecs } from './markets.ts';
import { settingsSchema } from './schema.ts';

/** A module of somebody's own has parameters that only itself knows. */
const MODULE_PATTERN = '^\\.{1,2}/';

/** The dialect that editors know best. */
const DIALECT = 'http://json-schema.org/draft-07/schema#';

/** JSON Schema of a configuration, with the parameters of these strategies. */
export function jsonSchema(strategies: StrategySpecs): Shape {
  const { markets, ...sections } = settingsSchema(strategies).keys;
  const { properties, ...root } = sectionShape({ kind: 'section', doc: ROOT_DOC, keys: sections });
  return {
    $schema: DIALECT,
    title: 'Configuration of bookend',
    ...root,
    required: ['markets'],
    properties: { markets: marketsShape(markets, strategies), ...Object(properties) },
  };
}

/** The same as the text of a file. */
export function jsonSchemaText(strategies: StrategySpecs): string {
  return `${JSON.stringify(jsonSchema(strategies), undefined, 1)}\n`;
}

const ROOT_DOC = 'Every key has a default but `markets`; `bookend check` has the last word.';

function marketsShape(list: ListSpec<unknown>, strategies: StrategySpecs): Shape {
  const item = sectionShape(list.items);
  const names = [...strategies.keys()].filter((name) => !name.startsWith('.'));
  const strategy = {
    ...Object(Reflect.get(Object(item['properties']), 'strategy')),
    // Named apart, so that an editor offers them.
    anyOf: [{ enum: names }, { pattern: MODULE_PATTERN }],
  };
  const properties = { ...Object(item['properties']), strategy };
  return { ...listShape(list), items: { ...item, properties, allOf: paramShapes(strategies) } };
}

/** Which parameters there are depends on the strategy beside them. */
function paramShapes(strategies: StrategySpecs): readonly Shape[] {
  return [...strategies].map(([name, strategy]) => ({
    if: { properties: { strategy: { const: name } }, required: ['strategy'] },
    // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema; nothing waits for it.
    then: {
      properties: {
        params: sectionShape({
          kind: 'section',
          doc: `Parameters of ${name}.`,
          keys: paramKeys(strategy),
        }),
        ...(strategy.scope === 'event' ? {} : { shadow: shadowShape(strategy) }),
      },
    },
  }));
}

/** Which of the parameters are different there; an editor has seen what they mean. */
function shadowShape(strategy: { readonly params: object }): Shape {
  const names = Object.keys(strategy.params).toSorted();
  return { type: 'object', propertyNames: { enum: names } };
}

function sectionShape({ doc, keys }: SectionSpec<Keys>): Shape {
  const entries = Object.entries(keys);
  const required = entries.filter(([, entry]) => isRequired(entry)).map(([name]) => name);
  return {
    description: doc,
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(entries.map(([name, entry]) => [name, entryShape(entry)])),
  };
}

function isRequired(entry: Entry): boolean {
  return entry.kind !== 'section' && entry.required;
}

function entryShape(entry: Entry): Shape {
  switch (entry.kind) {
    case 'section':
      return sectionShape(entry);
    case 'list':
      return { ...listShape(entry), items: sectionShape(entry.items) };
    case 'key':
      return keyShape(entry);
  }
}

function listShape({ doc, lengthMax }: ListSpec<unknown>): Shape {
  return { description: doc, type: 'array', maxItems: lengthMax };
}

function keyShape(spec: KeySpec<unknown>): Shape {
  const when = spec.applies === 'live' ? '' : ' Takes effect at the next start.';
  const env = spec.env === undefined ? '' : ` ${spec.env} overrides it.`;
  return {
    description: `${spec.doc} Right: ${spec.rule}.${when}${env}`,
    ...spec.shape,
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
}
