import './ui/styles.js';
import './ui/global.css';

import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app/App.js';
import { NONCE } from './app/page-nonce.js';
import { preloadPage } from './app/router.js';
import { startI18n } from './i18n/i18n.js';
import { nextTask, whenIdle } from './ui/idle.js';
import { loadRest } from './ui/load-rest.js';
import { printLight } from './ui/print-light.js';

// Where get-nonce looks, which dialogs load with their own styles: its function here would load all of them.
Object.assign(globalThis, { __webpack_nonce__: NONCE });
printLight();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
// Each in a task of its own.
await nextTask();
preloadPage();
await nextTask();
await startI18n();
const shown = createRoot(root);
// In pieces, between which the browser answers whoever does something.
startTransition(() => shown.render(<App />));
// What fails now is tried again by whoever needs it.
void whenIdle()
  .then(loadRest)
  .catch(() => undefined);
