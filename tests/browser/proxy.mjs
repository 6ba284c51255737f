// SPDX-License-Identifier: MIT
// A reverse proxy in front of the instance, as bad as some are: it can keep
// event streams back until their end, go silent on them, or cut them off. Or it
// has no place for an open answer, as the responder answers then.
import http from 'node:http';
import { base } from './browser.mjs';

/**
 * Starts it; it ends with the test.
 * @returns {url, mode, streams, asked, freeze(), cut()}; mode, for streams that begin
 *          from now on: 'pass', 'buffer' (given whole at their end) or 'brief'
 *          (they end with Retry-After behind their first events); streams:
 *          how many turns' streams have begun; asked: all requests as {path below the
 *          page's, bytes of the answer, done: it has ended}; freeze(): open ones stay open and
 *          say no more; cut(): open ones end
 */
export async function startProxy(t)
{
	const target = new URL(base);
	const open = new Set();
	const proxy = {
		mode: 'pass', streams: 0, asked: [], url: '',
		freeze: () => open.forEach((one) => one.pause()),
		cut: () => open.forEach((one) => one.destroy()),
	};
	const server = http.createServer((request, response) => {
		const one = { path: request.url.replace(target.pathname, '').replace(/\?.*/, ''),
			bytes: 0, done: false };
		const forward = http.request({ host: target.hostname, port: target.port,
			method: request.method, path: request.url, headers: request.headers },
		(answer) => {
			one.bytes = answer.rawHeaders.join('    ').length;
			answer.on('data', (bytes) => { one.bytes += bytes.length; });
			pass(proxy, open, answer, response);
		});

		proxy.asked.push(one);
		response.on('close', () => { one.done = true; });
		forward.on('error', () => response.destroy());
		response.on('close', () => forward.destroy());
		request.pipe(forward);
	});

	await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	proxy.url = `http://127.0.0.1:${server.address().port}${target.pathname}`;
	return proxy;
}

function pass(proxy, open, answer, response)
{
	const kept = [];

	answer.on('error', () => response.destroy());
	if (!/event-stream/.test(answer.headers['content-type'])) {
		response.writeHead(answer.statusCode, answer.headers);
		answer.pipe(response);
		return;
	}
	proxy.streams += /\/notifications/.test(answer.req.path) ? 0 : 1;
	open.add(answer);
	answer.on('close', () => {
		open.delete(answer);
		if (!answer.complete)
			response.destroy();
	});
	if (proxy.mode === 'brief') {
		response.writeHead(answer.statusCode, { ...answer.headers, 'Retry-After': '1' });
		answer.on('data', (bytes) => {
			kept.push(bytes);
			if (Buffer.concat(kept).includes('\nevent: ')) {
				answer.removeAllListeners('data');
				response.end(Buffer.concat(kept), () => answer.destroy());
			}
		});
		return;
	}
	if (proxy.mode === 'pass') {
		response.writeHead(answer.statusCode, answer.headers);
		response.flushHeaders();
		answer.pipe(response);
		return;
	}
	answer.on('data', (bytes) => kept.push(bytes));
	answer.on('end', () => {
		response.writeHead(answer.statusCode, answer.headers);
		response.end(Buffer.concat(kept));
	});
}
