// SPDX-License-Identifier: MIT
// Where the page begins.
import { setCulture } from './strings.js';

document.documentElement.lang = setCulture(navigator.languages || []);
// the elements draw with the texts of that language
await import('./ui/app.js');
