// SPDX-License-Identifier: MIT
// Page tools: functions of the host page that the agent may call
// (docs/page-tools.md). A page imports this module and registers them; nothing
// else can.
import { parseExact, toJson } from './exact.js';

/** The server's limit for a result. */
const RESULT_BYTES = 262144;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const tools = new Map();

/**
 * Registers a tool of this page, from the next message on.
 * @param {object} tool with only name and run it
 *        is one that the workspace declares (kind: client); description and
 *        parameters (a JSON Schema) declare one here, if the workspace has
 *        client_tools: allow. run gets the arguments, which fit the schema, and
 *        returns the result, any JSON, or a promise of it; an error that it
 *        throws is sent to the agent.
 * @param {string} tool.name
 * @param {string} [tool.description]
 * @param {object} [tool.parameters]
 * @param {(args: any) => unknown} tool.run
 * @returns a function that removes the tool
 */
export function registerTool({ name, description, parameters, run })
{
	if (!NAME.test(name) || typeof run !== 'function')
		throw new TypeError('a tool needs a name of A-Z a-z 0-9 _ - and a function');
	const tool = { name, description, parameters, run };

	tools.set(name, tool);
	return () => {
		if (tools.get(name) === tool)
			tools.delete(name);
	};
}

/** What a request says about this page; undefined if it has no tools. */
export function clientOf()
{
	if (tools.size === 0)
		return undefined;
	return { mode: 'page', tools: [...tools.values()].map(
		({ name, description, parameters }) => (description === undefined
			? name : { name, description, parameters })) };
}

let module = null;

/**
 * Says what the user looks at now, until it is said again (docs/prompt-builder.md).
 * @param name       of a module that the configuration declares; '' for none
 * @param parameters of the module, by name
 */
export function setModule(name, parameters = {})
{
	module = name ? { name, parameters } : null;
}

/** The member of a request for it. */
export function moduleOf()
{
	return module ? { module } : {};
}

/** Whether something that a turn waits for can be done here. */
export function canRun(wait)
{
	return wait.type === 'client-tool' && tools.has(wait.tool);
}

/**
 * Runs a call; a result that is not JSON, or is too large, is an error.
 * @returns toolCallId with result or error
 */
export async function runCall({ toolCallId, tool, arguments: args })
{
	try {
		const json = toJson(await tools.get(tool).run(args)) ?? '{"ok":true}';

		if (new Blob([json]).size > RESULT_BYTES)
			throw new Error(`The result is longer than ${RESULT_BYTES} bytes.`);
		return { toolCallId, result: parseExact(json) };
	} catch (error) {
		return { toolCallId, error: String(error?.message || error) };
	}
}
