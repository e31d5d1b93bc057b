// The operator's page: log in, listen, draw.

import { Charts } from './charts.js';
import { Controls } from './controls.js';
import { DetailView } from './detail.js';
import { byId, byIdOf, setText } from './dom.js';
import { Editor } from './edit.js';
import { EventsView } from './events.js';
import { drawHead, drawLink } from './head.js';
import { listenToKeys } from './keys.js';
import { LadderView } from './ladder.js';
import { MarketList } from './list.js';
import { drawLimits } from './panels.js';
import { logIn, logOut, resumeSession } from './session.js';
import { Store } from './store.js';
import { Stream } from './stream.js';

const RETRY_MS = 2_000;

const store = new Store();
const stream = new Stream({ store, onEnded: showLogin });
const charts = new Charts(store);
const list = new MarketList(store);
const controls = new Controls(store, showLogin);
const editor = new Editor(store);
const ladder = new LadderView();
const detail = new DetailView();
new EventsView(store);

store.onChange(['head', 'markets'], () => drawHead(store));
store.onChange(['link', 'head'], () => drawLink(store));
store.onChange(['head'], () => drawLimits(store));
store.onChange(['selected'], () => {
  const { selected } = store;
  // One that is quoted no more, or was not told yet, is not shown as it was, nor another one in its place.
  byId('market').classList.toggle('is-gone', selected === undefined);
  if (selected === undefined) return;
  ladder.draw(selected);
  detail.draw(selected, store);
});

listenToKeys([
  { key: 'j', shown: 'j', does: 'next market', run: () => list.move(1) },
  { key: 'k', shown: 'k', does: 'previous market', run: () => list.move(-1) },
  { key: 'ArrowDown', shown: '↓', does: 'next market', run: () => list.move(1) },
  { key: 'ArrowUp', shown: '↑', does: 'previous market', run: () => list.move(-1) },
  { key: '/', shown: '/', does: 'search markets', run: () => byId('search').focus() },
  { key: 'e', shown: 'e', does: 'filter events', run: () => byId('events-filter').focus() },
  {
    key: 'E',
    shown: '⇧E',
    does: 'edit parameters of the market',
    run: () => void editor.openParams(),
  },
  {
    key: 'p',
    shown: 'p',
    does: 'pause, after a confirmation',
    run: () => void controls.ask('pause'),
  },
  {
    key: 'r',
    shown: 'r',
    does: 'resume, after a confirmation',
    run: () => void controls.ask('resume'),
  },
  {
    key: 'K',
    shown: '⇧K',
    does: 'kill, after a confirmation',
    run: () => void controls.ask('kill'),
  },
]);

byId('login-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void begin();
});
byId('logout').addEventListener('click', () => void logOut().then(() => showLogin()));

void boot();

async function boot() {
  const found = await resumeSession();
  if (found === 'open') showDesk();
  else if (found === 'none') showLogin();
  else setTimeout(() => void boot(), RETRY_MS);
}

async function begin() {
  const input = byIdOf('token', HTMLInputElement);
  const why = await logIn(input.value);
  input.value = '';
  setText(byId('login-error'), why ?? '');
  if (why === undefined) showDesk();
  else input.focus();
}

function showDesk() {
  controls.begin();
  editor.begin();
  byId('login').hidden = true;
  byId('desk').hidden = false;
  document.body.classList.remove('is-out');
  stream.start();
  charts.start();
}

/** @param {string} [why] */
function showLogin(why = '') {
  stream.stop();
  charts.stop();
  byId('desk').hidden = true;
  byId('login').hidden = false;
  document.body.classList.add('is-out');
  setText(byId('login-error'), why);
  byId('token').focus();
}
