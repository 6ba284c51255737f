// SPDX-License-Identifier: MIT
// doctor.html: measures what a browser can see of the deployment, and shows
// what the responder makes of it. The same as `lamplighter doctor URL`; what
// the members of `measured` mean is in docs/doctor.md.
const API = 'api/v1/';
const SPOOF = 'lamplighter-doctor-spoof';
const SPOOF_HEADERS = ['Remote-User', 'X-Remote-User', 'X-Forwarded-User'];
const WORDS = { ok: 'Fine', warning: 'Warning', problem: 'Problem' };
const WRITE = { 'Content-Type': 'application/json' };

const status = document.querySelector('#status');
const list = document.querySelector('#findings');
const again = /** @type {HTMLButtonElement} */ (document.querySelector('#again'));

/** Server header as the browser saw it first; '' without one. */
let server = '';

/** @returns an object of status (0: no answer), json, headers, startedMs, tookMs */
async function ask(path, options = {})
{
	const started = performance.now();
	const startedMs = Date.now();

	try {
		const response = await fetch(path, { cache: 'no-store', ...options });
		const text = await response.text();
		let json = null;

		server ||= response.headers.get('Server') || '';
		try {
			json = JSON.parse(text);
		} catch {
			json = null;
		}
		return { status: response.status, json, headers: response.headers,
			startedMs, tookMs: performance.now() - started };
	} catch (error) {
		return { status: 0, json: null, headers: new Headers(), startedMs,
			tookMs: performance.now() - started, error: String(error) };
	}
}

/** The responder gives every request an id; others do not. */
function ours({ json, headers })
{
	return json !== null && (headers.has('X-Request-Id') ||
		/^application\/problem\+json/.test(headers.get('Content-Type')));
}

async function reach()
{
	const answer = await ask(`${API}health`);

	return { status: answer.status, error: answer.error || '',
		ours: ours(answer) && answer.status === 200,
		detail: answer.json?.detail || '',
		problem: ours(answer) && answer.status !== 200 };
}

async function spoofs()
{
	const tried = [];

	for (const header of SPOOF_HEADERS) {
		const answer = await ask(`${API}me`, { headers: { [header]: SPOOF } });

		tried.push({ header, status: answer.status,
			user: answer.json?.user || '',
			kind: answer.json?.identityKind || '' });
	}
	return tried;
}

async function stream()
{
	const started = performance.now();
	const arrivalsMs = [];
	const response = await fetch(`${API}doctor/probe`, { cache: 'no-store' });
	const reader = response.body.getReader();

	while (!(await reader.read()).done)
		arrivalsMs.push(Math.round(performance.now() - started));
	return { status: response.status, arrivalsMs,
		encoding: response.headers.get('Content-Encoding') || '' };
}

async function body(bytes)
{
	const answer = await ask(`${API}doctor/body`, { method: 'POST',
		headers: WRITE, body: '{}'.padEnd(bytes, ' ') });

	return { sent: bytes, status: answer.status, bytes: answer.json?.bytes || 0 };
}

/** A browser's own write: it adds its Origin itself. */
function writes(answer, version)
{
	const { status, json } = answer;

	return [{ version, status, ours: ours(answer), sent: location.origin,
		origin: json?.origin || '', host: json?.host || '', code: json?.code || '' }];
}

/** The route has only POST: the responder's own 405 is a good answer. */
async function methods()
{
	const tried = [];

	for (const method of ['PATCH', 'PUT', 'DELETE']) {
		const answer = await ask(`${API}doctor/body`, { method, headers: WRITE, body: '{}' });

		tried.push({ method, status: answer.status, ours: ours(answer) });
	}
	return tried;
}

/** Silence, which takes as long as all the rest: it runs beside it. */
async function quiet()
{
	const started = performance.now();
	const ms = () => Math.round(performance.now() - started);
	let text = '';
	let status = 0;

	try {
		const response = await fetch(`${API}doctor/quiet`, { cache: 'no-store' });
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();

		status = response.status;
		for (let part = await reader.read(); !part.done; part = await reader.read())
			text += part.value;
		return { status, ms: ms(), ended: text.split('event:').length === 3 };
	} catch {
		return { status, ms: ms(), ended: false };
	}
}

function protocol()
{
	const loaded = /** @type {PerformanceResourceTiming[]} */ (
		performance.getEntriesByType('resource'));

	return loaded.map((entry) => entry.nextHopProtocol).filter(Boolean).pop() || '';
}

async function measure()
{
	const measured = { reach: await reach() };
	const page = await ask('./');
	const me = await ask(`${API}me`);
	const arrived = await ask(`${API}doctor/request`);

	measured.page = { status: page.status,
		type: page.headers.get('Content-Type') || '' };
	measured.identity = { status: me.status, ours: ours(me), signedIn: false,
		user: me.json?.user || '', kind: me.json?.identityKind || '' };
	measured.spoof = await spoofs();
	if (arrived.status !== 200 || !ours(arrived))
		return { measured, refused: arrived };
	const silence = quiet();

	measured.clock = {
		clientMs: Math.round(arrived.startedMs + arrived.tookMs / 2),
		processMs: arrived.json.timeMs, rttMs: Math.round(arrived.tookMs),
		dateMs: Date.parse(arrived.headers.get('Date')) || 0 };
	measured.stream = await stream();
	measured.compressed = measured.stream;
	const sent = await ask(`${API}doctor/body`, { method: 'POST', headers: WRITE, body: '{}' });

	measured.body = await body(arrived.json.bodyBytes);
	measured.methods = await methods();
	measured.server = server;
	measured.protocol = protocol();
	measured.writes = writes(sent, measured.protocol.replace(/^h(?:ttp\/)?/, ''));
	measured.quiet = await silence;
	return { measured, refused: null };
}

function element(name, text, className = '')
{
	const made = document.createElement(name);

	made.textContent = text;
	made.className = className;
	return made;
}

function show(finding)
{
	const item = element('li', '', finding.result);
	const subject = finding.subject ? ` (${finding.subject})` : '';

	item.append(element('h2', `${WORDS[finding.result]}: ${finding.title}${subject}`),
		element('p', finding.text));
	if (finding.advice)
		item.append(element('pre', finding.advice));
	list.append(item);
}

/** The message if the responder refuses the report. */
function refusal(answer)
{
	if (answer.status === 403)
		return answer.json?.detail || 'You do not have permission to see this.';
	if (answer.status === 401)
		return 'Sign in first.';
	return `The responder does not answer as it should (${answer.status}). ` +
		'Run `lamplighter doctor` with this address on the server.';
}

async function run()
{
	again.disabled = true;
	status.textContent = 'Measuring …';
	list.replaceChildren();
	try {
		const { measured, refused } = await measure();

		if (refused) {
			status.textContent = refusal(refused);
			return;
		}
		status.textContent = 'The responder is running its checks …';
		const report = await ask(`${API}doctor`, { method: 'POST',
			headers: WRITE, body: JSON.stringify({ measured }) });

		if (report.status !== 200 || !ours(report)) {
			status.textContent = refusal(report);
			return;
		}
		const order = ['problem', 'warning', 'ok'];
		const items = [...report.json.items].sort((a, b) =>
			order.indexOf(a.result) - order.indexOf(b.result));
		const bad = items.filter((item) => item.result !== 'ok').length;

		items.forEach(show);
		const front = report.json.front ? `${report.json.front} in front of ` : '';

		status.textContent = `${report.json.base || '/'} on ${front}` +
			`${report.json.server}: ${items.length - bad} fine, ${bad} to look at.`;
	} catch (error) {
		status.textContent = `The measurement failed: ${error.message}`;
	} finally {
		again.disabled = false;
	}
}

again.addEventListener('click', run);
run();
