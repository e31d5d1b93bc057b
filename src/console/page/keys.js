// Keys for those whose hands stay there.

import { byIdOf, el, put } from './dom.js';

/** @typedef {{ readonly key: string, readonly shown: string, readonly does: string, readonly run: () => void }} Key */

/** @param {readonly Key[]} keys */
export function listenToKeys(keys) {
  const dialog = byIdOf('keys', HTMLDialogElement);
  const list = byIdOf('keys-list', HTMLDListElement);
  const help = { key: '?', shown: '?', does: 'these keys', run: () => dialog.showModal() };
  const all = [...keys, help];
  for (const { shown, does } of all) {
    put(list, put(el('div'), put(el('dt'), el('kbd', '', shown)), el('dd', '', does)));
  }
  byIdOf('help', HTMLButtonElement).addEventListener('click', () => dialog.showModal());
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]'))
      return;
    if (isTyping(event)) {
      if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
      return;
    }
    if (event.key.startsWith('Arrow') && scrollsItself(event)) return;
    const found = all.find(({ key }) => key === event.key);
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}

/** Whoever has gone into a part of the page by key scrolls it by arrow. @param {KeyboardEvent} event */
function scrollsItself({ target }) {
  return target instanceof HTMLElement && target !== document.body && target.id !== 'list';
}

/** @param {KeyboardEvent} event */
function isTyping({ target }) {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}
