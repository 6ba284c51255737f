// SPDX-License-Identifier: MIT
// The language of the page, chosen before anything is drawn.
import { setCulture } from './strings.js';

document.documentElement.lang = setCulture(navigator.languages || []);
