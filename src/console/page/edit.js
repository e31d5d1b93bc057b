// Parameters of a market and limits, changed in the file of the daemon: a form, what the change would do, and only
// then the change itself.

import { byId, byIdOf, el, fillChildren, put, setClass, setText } from './dom.js';
import { previewLines, problemLines } from './edit-lines.js';
import { may, read, roleOf, send } from './session.js';

/** @typedef {import('./session.js').Answer} Answer */
/** @typedef {import('./edit-lines.js').Line} Line */
/** @typedef {{ path: (string | number)[], name: string, doc: string, unit: string, rule: string, kind: string, words?: string[], min?: number, max?: number, default?: unknown, value?: unknown }} Field */
/** @typedef {{ event: string, market?: string, strategy: string, fields: Field[] }} FormMarket */
/** @typedef {{ revision: string, markets: FormMarket[], limits: Field[] }} Form */
/** @typedef {{ title: string, text: string, fields: readonly Field[] }} Part */
/** @typedef {HTMLInputElement | HTMLSelectElement} Input */

/** A daemon of a thousand markets takes its time. */
const PREVIEW_MS_MAX = 30_000;

export class Editor {
  #dialog = byIdOf('edit', HTMLDialogElement);
  #apply = byIdOf('edit-yes', HTMLButtonElement);
  #fields = byId('edit-fields');
  /** @type {import('./store.js').Store} */ #store;
  /** Which part of the form is shown, however often it is read. @type {(form: Form) => Part | undefined} */
  #partOf = () => undefined;
  /** @type {{ field: Field, input: Input }[]} */ #inputs = [];
  #revision = '';
  /** What was previewed last, as text: only that is applied. */
  #previewed = '';

  /** @param {import('./store.js').Store} store */
  constructor(store) {
    this.#store = store;
    byId('edit-params').addEventListener('click', () => void this.openParams());
    byId('edit-limits').addEventListener('click', () => void this.openLimits());
    byId('edit-no').addEventListener('click', () => this.#dialog.close());
    byId('edit-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#preview();
    });
    this.#apply.addEventListener('click', () => void this.#write());
    this.#fields.addEventListener('input', () => this.#judge());
  }

  /** Shows what the role of the session may change. */
  begin() {
    byId('edit-params').hidden = !may('trade');
    byId('edit-limits').hidden = roleOf() !== 'full';
  }

  async openParams() {
    const { selected } = this.#store;
    if (selected === undefined || !may('trade')) return;
    const { eventSlug, eventId, marketId, strategy: name } = selected;
    await this.#open((form) => {
      const filters = (this.#store.head?.selection ?? [])
        .filter(({ events, strategy }) => strategy === name && events.includes(eventSlug))
        .map(({ select }) => `select ${select}`);
      const isOf = (/** @type {FormMarket} */ { event, market }) =>
        (event === eventSlug || event === eventId) && (market ?? marketId) === marketId;
      const found =
        form.markets.find(isOf) ?? form.markets.find(({ event }) => filters.includes(event));
      if (found === undefined) return undefined;
      const { event, market, strategy, fields } = found;
      const of = market === undefined ? `all markets of ${event}` : `market ${market} of ${event}`;
      return { title: `Parameters of ${strategy}`, text: `They count for ${of}.`, fields };
    });
  }

  async openLimits() {
    if (roleOf() !== 'full') return;
    const text = 'They hold every order of the account, whatever a strategy wants.';
    await this.#open(({ limits }) => ({ title: 'Limits', text, fields: limits }));
  }

  /** @param {(form: Form) => Part | undefined} partOf */
  async #open(partOf) {
    if (document.querySelector('dialog[open]') !== null) return;
    this.#partOf = partOf;
    this.#show({ title: 'Reading the file', text: '', fields: [] });
    this.#say([]);
    this.#dialog.showModal();
    await this.#load();
    this.#inputs[0]?.input.focus();
  }

  /** @returns {Promise<boolean>} Whether the file could be shown. */
  async #load() {
    const answer = await read('/api/config');
    const form = /** @type {Form & { kind?: string }} */ (/** @type {unknown} */ (answer.body));
    const part = form.kind === 'form' ? this.#partOf(form) : undefined;
    if (part === undefined) {
      this.#show({ title: 'Nothing to change here', text: '', fields: [] });
      this.#say(answer.status === 200 && form.kind === 'form' ? NOT_THERE : linesOf(answer));
      return false;
    }
    this.#revision = form.revision;
    this.#show(part);
    return true;
  }

  /** @param {Part} part */
  #show({ title, text, fields }) {
    setText(byId('edit-title'), title);
    setText(byId('edit-text'), text);
    this.#fields.replaceChildren();
    this.#inputs = fields.map((field, place) => {
      const input = inputOf(field);
      input.id = `edit-field-${place}`;
      put(this.#fields, rowOf(field, input));
      return { field, input };
    });
    this.#judge();
  }

  /** What differs from the file. */
  #edits() {
    return this.#inputs.flatMap(({ field, input }) => {
      const value = valueOfInput(field, input);
      return value === field.value ? [] : [{ path: field.path, value }];
    });
  }

  /** Only what was previewed can be applied, and only what differs previewed. */
  #judge() {
    const edits = this.#edits();
    for (const { field, input } of this.#inputs) {
      setClass(input, valueOfInput(field, input) === field.value ? '' : 'is-changed');
    }
    byId('edit-look').toggleAttribute('disabled', edits.length === 0);
    this.#apply.disabled = edits.length === 0 || JSON.stringify(edits) !== this.#previewed;
  }

  async #preview() {
    const edits = this.#edits();
    if (edits.length === 0) return;
    this.#say([{ text: 'Asking the daemon what that would do…', tone: '' }]);
    const body = { revision: this.#revision, edits };
    const answer = await send('/api/preview', 'POST', PREVIEW_MS_MAX, body);
    const isKnown = answer.status === 200 && answer.body['kind'] === 'previewed';
    this.#previewed = isKnown ? JSON.stringify(edits) : '';
    this.#say(linesOf(answer));
    if (answer.body['kind'] === 'stale') await this.#showAnew();
    this.#judge();
    if (isKnown) this.#apply.focus();
  }

  async #write() {
    const edits = this.#edits();
    if (JSON.stringify(edits) !== this.#previewed) return;
    this.#apply.disabled = true;
    const body = { revision: this.#revision, edits };
    const answer = await send('/control/config', 'POST', PREVIEW_MS_MAX, body);
    this.#previewed = '';
    if (answer.status === 200) {
      const changes = /** @type {unknown[]} */ (answer.body['changes'] ?? []);
      const kept = `the text before it is in ${String(answer.body['backup'])}`;
      await this.#load();
      this.#say([
        ...changes.map((change) => ({ text: `Written: ${String(change)}`, tone: 'good' })),
        { text: kept, tone: '' },
      ]);
      return;
    }
    this.#say(linesOf(answer));
    if (answer.body['kind'] === 'stale') await this.#showAnew();
    this.#judge();
  }

  /** Somebody else has written the file: what it says now, and what of it is not as it was shown. */
  async #showAnew() {
    const before = this.#inputs.map(({ field }) => field);
    if (!(await this.#load())) return;
    const changed = this.#inputs.flatMap(({ field }) => {
      const old = before.find(({ name }) => name === field.name);
      if (old === undefined || old.value === field.value) return [];
      return [{ text: `${field.name} was ${old.value}, is ${field.value} now`, tone: 'warn' }];
    });
    this.#say([STALE, ...changed]);
  }

  /** @param {readonly Line[]} lines */
  #say(lines) {
    fillChildren(
      byId('edit-said'),
      lines.length,
      () => el('p'),
      (row, place) => {
        setText(row, lines[place]?.text ?? '');
        setClass(row, lines[place]?.tone ?? '');
      },
    );
  }
}

/** @type {Line} */
const STALE = {
  text: 'Not written: the file has changed since it was shown. This is what it says now.',
  tone: 'bad',
};

/** @type {readonly Line[]} */
const NOT_THERE = [{ text: 'The file names no such market any more.', tone: 'bad' }];

/**
 * @param {Answer} answer
 * @returns {readonly Line[]}
 */
function linesOf({ status, body }) {
  if (body['kind'] === 'previewed') {
    return previewLines(
      /** @type {import('./edit-lines.js').Preview} */ (/** @type {unknown} */ (body)),
    );
  }
  if (Array.isArray(body['problems'])) return problemLines(body['problems']);
  if (status === 202) return [{ text: String(body['detail']), tone: 'warn' }];
  return [{ text: String(body['error'] ?? `answered ${status}`), tone: 'bad' }];
}

/**
 * @param {Field} field
 * @param {Input} input
 */
function rowOf({ name, doc, unit, rule, default: usual }, input) {
  const label = el('label', '', name);
  label.setAttribute('for', input.id);
  const hint = el('p', 'dim', `${doc} Right: ${rule}; default ${JSON.stringify(usual) ?? 'none'}.`);
  hint.id = `${input.id}-hint`;
  input.setAttribute('aria-describedby', hint.id);
  return put(el('div', 'field'), label, input, el('span', 'dim', unit), hint);
}

/**
 * @param {Field} field
 * @returns {Input}
 */
function inputOf({ kind, words = [], min, max, value }) {
  if (kind === 'flag' || kind === 'word') {
    const choice = document.createElement('select');
    for (const word of kind === 'flag' ? ['true', 'false'] : words) {
      const option = el('option', '', word);
      option.setAttribute('value', word);
      put(choice, option);
    }
    choice.value = String(value);
    return choice;
  }
  const input = document.createElement('input');
  input.type = 'number';
  input.step = kind === 'whole' ? '1' : 'any';
  if (min !== undefined) input.min = String(min);
  if (max !== undefined) input.max = String(max);
  input.value = String(value);
  return input;
}

/**
 * What stands there, as the file would have it; what is no number goes as it is, and is refused with what would be right.
 * @param {Field} field
 * @param {Input} input
 */
function valueOfInput({ kind }, input) {
  if (kind === 'flag') return input.value === 'true';
  if (kind === 'word') return input.value;
  return input.value.trim() === '' ? '' : Number(input.value);
}
