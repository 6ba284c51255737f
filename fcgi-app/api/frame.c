/* SPDX-License-Identifier: MIT */
/*
 * The page of a sandbox: in it, the chat page shows what a model has written as HTML,
 * SVG or a diagram, scripts included. The content comes from the page through a message
 * port, never through here, so the answer is the same for everyone.
 *
 * It is a route, because documents without an address of their own (srcdoc, blob:) have
 * the policy of the document that makes them, and the chat page's forbids inline scripts.
 * Here that is used: the content is a srcdoc within this page, so that
 *  - it has an origin of its own: no cookies, no storage, no API, no DOM of the page;
 *  - it cannot load or send anything (default-src), nor navigate itself away: frame-src
 *    of the document around it decides that, and is 'none';
 *  - it cannot navigate the pages around it, open windows or send forms (sandbox).
 *
 * What no policy forbids in Chromium is WebRTC and connecting to hosts ahead of time
 * (<link rel=preconnect>). www/js/sandbox.js takes both from the content before its first
 * script runs; trusted types, required here, keep it from getting them back. Where a
 * browser knows no trusted types, the content's own scripts do not run.
 */
#include "api/api.h"

#include "base/banned.h"

#define POLICY "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; " \
	"style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; " \
	"font-src data:; frame-src 'none'; form-action 'none'; base-uri 'none'; " \
	"frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types default"

/*
 * The page sends a port; through it {html, own}. own: the scripts are the page's. What the
 * content says to its parent is handed on as {said}. Nobody else is heard.
 */
static const char page[] =
	"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
	"<title>Preview</title>\n<style>\n"
	"html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0 }\n"
	"</style>\n<body>\n<script>\n'use strict';\n"
	"const checked = Boolean(self.trustedTypes);\n"
	"let port = null, inner = null;\n"
	"if (checked)\n"
	"\ttrustedTypes.createPolicy('default', { createHTML: (html) => html });\n"
	"function show({ data: { html, own } })\n{\n"
	"\tinner = document.createElement('iframe');\n"
	"\tinner.title = 'Preview';\n"
	"\tinner.setAttribute('sandbox', own || checked ? 'allow-scripts' : '');\n"
	"\tinner.srcdoc = html;\n"
	"\tdocument.body.replaceChildren(inner);\n"
	"}\n"
	"addEventListener('message', ({ source, data, ports }) => {\n"
	"\tif (source === parent && !port && ports.length === 1) {\n"
	"\t\t[port] = ports;\n"
	"\t\tport.onmessage = show;\n"
	"\t\tport.postMessage({ scripts: checked });\n"
	"\t} else if (port && source === inner?.contentWindow) {\n"
	"\t\tport.postMessage({ said: data });\n"
	"\t}\n"
	"});\n"
	"</script>\n</body>\n</html>\n";

/* GET /frame: 200 text/html. */
int api_frame(struct request *rq, struct response *rs, struct err *e)
{
	struct buf *b = resp_html(rs, 200);

	(void)rq;
	(void)e;
	buf_adds(b, page);
	resp_header(rs, "Content-Security-Policy", POLICY);
	resp_header(rs, "X-DNS-Prefetch-Control", "off");
	resp_header(rs, "Referrer-Policy", "no-referrer");
	resp_header(rs, "Cross-Origin-Resource-Policy", "same-origin");
	return 0;
}
