// What a row of the route table names as `part`: pieces of a record's page that
// no description of fields can express. Each gets {api, places, draft, current,
// copy(), confirm(), fail(error), changed()}.
import { agentPart } from './agent.js';
import { documentsPart } from './documents.js';
import { promptPart } from './prompt.js';
import { servicePart } from './service.js';
import { settingPart } from './setting.js';

/** {above: above the form, below: (at) => (field, draft) => below a control,
 * actions: further buttons} */
export const PARTS = {
	agent: agentPart, documents: documentsPart, prompt: promptPart, service: servicePart, setting: settingPart,
};
