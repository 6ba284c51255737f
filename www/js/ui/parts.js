// SPDX-License-Identifier: MIT
// What a row of the route table names as `part`: pieces of a record's page that
// no description of fields can express.
import { agentPart } from './agent.js';
import { documentsPart } from './documents.js';
import { promptPart } from './prompt.js';
import { servicePart } from './service.js';
import { settingPart } from './setting.js';

/**
 * @typedef {(...texts: string[]) => Promise<boolean>} Confirm asks; of <lamp-app>
 *
 * @typedef {object} At what each piece gets; current and copy: null for rows that belong to another one
 * @property {import('../api.js').Api} api
 * @property {import('../store/places.js').Places} places
 * @property {import('../store/draft.js').Draft} draft
 * @property {import('../store/places.js').Current} current
 * @property {Confirm} confirm
 * @property {() => void} copy
 * @property {(error: Error) => void} fail
 * @property {() => void} changed
 *
 * @typedef {object} Piece
 * @property {(at: At) => unknown} [above] above the form
 * @property {(at: At) => (field: import('../form.js').Field,
 *           draft: import('../store/draft.js').Draft) => unknown} [below] below a control
 * @property {(at: At) => unknown} [beside] beside the form
 * @property {(at: At) => unknown} [bar] beside the button that saves
 * @property {(at: At) => unknown} [actions] further buttons
 */

/** @type {Record<string, Piece>} */
export const PARTS = {
	agent: agentPart, documents: documentsPart, prompt: promptPart, service: servicePart, setting: settingPart,
};
