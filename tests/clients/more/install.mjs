// SPDX-License-Identifier: MIT
// Clients whose packages are too large to be installed with the other tests': each is
// installed by npm when its test runs, under LAMPLIGHTER_CLIENTS (default: a folder of the
// system's temporary one, where the next run finds it), in the version that is named here.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const root = process.env.LAMPLIGHTER_CLIENTS ?? join(tmpdir(), 'lamplighter-clients');

// PATH with the Node.js that runs the tests first, for programs that npm links.
export const path = [dirname(process.execPath), process.env.PATH].join(delimiter);

// The folder with these packages ('name@version'), in which node_modules is.
export function install(...packages)
{
	const dir = join(root, packages[0].replaceAll(/[^\w.-]/g, '_'));
	const done = join(dir, 'installed');
	const wanted = packages.join('\n');

	if (existsSync(done) && readFileSync(done, 'utf8') === wanted)
		return dir;
	mkdirSync(dir, { recursive: true });
	writeFileSync(join(dir, 'package.json'), '{"private":true}');
	const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund',
		'--ignore-scripts', '--legacy-peer-deps', ...packages],
	{ cwd: dir, encoding: 'utf8', env: { ...process.env, PATH: path } });
	if (status !== 0)
		throw new Error(`npm install ${packages.join(' ')}: ${stderr}`);
	writeFileSync(done, wanted);
	return dir;
}

// What a program that stands beside this file, run in such a folder, prints: JSON.
export function played(dir, program)
{
	copyFileSync(new URL(program, import.meta.url), join(dir, program));
	const { status, stdout, stderr } = spawnSync(process.execPath, [program],
		{ cwd: dir, encoding: 'utf8', timeout: 120000 });

	if (status !== 0)
		throw new Error(`${program}: ${status}\n${stdout}\n${stderr}`);
	return JSON.parse(stdout.trim().split('\n').at(-1));
}
