// What the page is made of. Texts only ever become text: nothing here, or anywhere else, makes markup of a string.

/**
 * An element of the page that is always there.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byIdOf(id, kind) {
  const found = byId(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is no ${kind.name}`);
  return found;
}

/** What nobody sees, and what turns the text behind it around: a title must not rewrite the question that names it. */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/gu;

/** The same text, in which it stands as an escape: `\u202e`. @param {string} text */
export function visible(text) {
  return text.replace(UNSEEN, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 * @returns {HTMLElement}
 */
export function el(tag, className = '', text = '') {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = visible(text);
  return made;
}

/**
 * @param {HTMLElement} parent
 * @param {...(HTMLElement | string)} children
 */
export function put(parent, ...children) {
  parent.append(...children);
  return parent;
}

/**
 * Writes only what differs: most figures stay as they are from one beat to the next.
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  const shown = visible(text);
  if (node.textContent !== shown) node.textContent = shown;
}

/**
 * @param {Element} node
 * @param {string} className
 */
export function setClass(node, className) {
  if (node.className !== className) node.className = className;
}

/**
 * So many children, made where they are missing, and each of them filled.
 * @param {HTMLElement} parent
 * @param {number} count
 * @param {() => HTMLElement} make
 * @param {(child: HTMLElement, place: number) => void} fill
 */
export function fillChildren(parent, count, make, fill) {
  while (parent.children.length > count) parent.lastElementChild?.remove();
  while (parent.children.length < count) parent.append(make());
  for (let place = 0; place < count; place += 1) {
    const child = parent.children[place];
    if (child instanceof HTMLElement) fill(child, place);
  }
}

/**
 * The child at a place, which whoever made the parent has put there.
 * @param {Element} parent
 * @param {number} place
 * @returns {HTMLElement}
 */
export function childAt(parent, place) {
  const child = parent.children[place];
  if (!(child instanceof HTMLElement)) throw new Error(`no child ${place}`);
  return child;
}

/**
 * A part of the whole as the width of a bar.
 * @param {HTMLElement} node
 * @param {number} part
 */
export function setPart(node, part) {
  const bounded = Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0;
  const text = `${(100 * bounded).toFixed(1)}%`;
  if (node.style.getPropertyValue('--part') !== text) node.style.setProperty('--part', text);
}
