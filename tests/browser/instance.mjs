// SPDX-License-Identifier: MIT
// An instance of its own, which lamp starts for one test file and which may be
// stopped and started in the midst of it.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const LAMP = fileURLToPath(new URL('../../lamp', import.meta.url));
const run = promisify(execFile);

/**
 * @param options those of ./lamp up
 * @returns {url, conf: the directory of its configuration, up(): starts what is not running,
 *          again(): the same with no option, declare(workspace): adds one and waits until
 *          it is there, kill(name): ends one of its processes (lighttpd, responder, db) and
 *          waits for that, end(): ends and removes all}
 */
export async function startInstance(...options)
{
	const state = await mkdtemp(path.join(tmpdir(), 'lamp-page-'));
	const lamp = (...args) => run(LAMP, args, { env: { ...process.env, LAMP_VAR: state } });
	const up = async (...args) => {
		const { stdout } = await lamp('up', '--yes', '--llm', 'demo', ...args);

		return /running: (\S+)/.exec(stdout)[1];
	};

	const url = await up(...options);
	const conf = path.join(state, 'conf');
	const ids = async () => (await (await fetch(`${url}api/v1/workspaces`)).json())
		.items.map(({ workspaceId }) => workspaceId);

	return {
		url, conf,
		declare: async (declared) => {
			// JSON is YAML
			await writeFile(path.join(conf, 'workspaces.d', `${declared.workspace}.yaml`),
				JSON.stringify(declared));
			while (!(await ids()).includes(declared.workspace))
				continue;
		},
		up: () => up(...options),
		again: () => up(),
		kill: async (name) => {
			const pid = Number(await readFile(path.join(state, 'run', `${name}.pid`), 'utf8'));

			process.kill(pid, 'SIGTERM');
			while (await readlink(`/proc/${pid}/exe`).catch(() => ''))
				await new Promise((resolve) => setTimeout(resolve, 20));
		},
		end: async () => {
			await lamp('down');
			await rm(state, { recursive: true, force: true });
		},
	};
}
