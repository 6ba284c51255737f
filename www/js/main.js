// SPDX-License-Identifier: MIT
// Where the page begins. The order counts: elements draw with the texts of the language.
import './older.js';
import './culture.js';
import './ui/app.js';
