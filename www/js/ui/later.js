// SPDX-License-Identifier: MIT
// What nobody needs to begin to chat: places, and dialogs beside the chat. It is loaded
// when the first of them is opened (app.js).
import { making } from '../strings-making.js';
import { addTexts } from '../strings.js';
export { exported, readWhole } from '../export.js';
import './allowed.js';
import './arrange.js';
import './artifact.js';
import './blanks.js';
import './compare.js';
import './help.js';
import './memory.js';
import './place.js';
import './preview.js';
import './project.js';
import './rating.js';
import './share.js';
import './shared.js';
import './used.js';
import './keep.js';

addTexts(making);
