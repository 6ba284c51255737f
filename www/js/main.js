// SPDX-License-Identifier: MIT
// Where the page begins. The order counts: elements draw with the texts of the language.
import './older.js';
import { texts } from './culture.js';
import { watchPaper } from './paper.js';
import { LampApp } from './ui/app.js';

texts.then(() => customElements.define('lamp-app', LampApp));
watchPaper();
