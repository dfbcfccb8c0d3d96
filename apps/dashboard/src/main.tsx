import './ui/styles.js';
import './ui/global.css';

import { createRoot } from 'react-dom/client';

import { App } from './app/App.js';
import { NONCE } from './app/page-nonce.js';
import { startI18n } from './i18n/i18n.js';
import { printLight } from './ui/print-light.js';

// Where get-nonce looks, which dialogs load with their own styles: its function here would load all of them.
Object.assign(globalThis, { __webpack_nonce__: NONCE });
printLight();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
await startI18n();
createRoot(root).render(<App />);
