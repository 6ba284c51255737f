/* SPDX-License-Identifier: MIT */
/* Findings, and the lines to paste: one table of topics and web servers. */
#include "doctor/doctor.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/paths.h"
#include "base/utf8.h"

#include "base/banned.h"

#define TEXT_BYTES   1024
#define ADVICE_BYTES 4096
#define NAME_CHARS   80		/* of what a server calls itself */
#define MIB          1048576
#define LEAST_MIB    16		/* of bodies, in advice */

const struct doctor_row doctor_rows[DOCTOR__MAX] = {
#define DOCTOR(id, name_, title_) \
	[DOCTOR_##id] = { .name = name_, .title = title_ },
#include "doctor/checks.def"
#undef DOCTOR
};

static const char *const results[] = {
	[DOCTOR_OK] = "ok", [DOCTOR_WARNING] = "warning",
	[DOCTOR_PROBLEM] = "problem",
};

static const char *const web_names[WEB__MAX] = {
	[WEB_LIGHTTPD] = "lighttpd",
	[WEB_LIGHTTPD_SPAWN] = "lighttpd, which starts the responder",
	[WEB_APACHE_PROXY] = "Apache with mod_proxy_fcgi",
	[WEB_APACHE_FCGID] = "Apache with mod_fcgid",
	[WEB_APACHE_CGI] = "Apache with plain CGI",
	[WEB_NGINX] = "nginx",
	[WEB_OTHER] = "unknown",
};

const char *doctor_web_name(enum doctor_web w)
{
	return web_names[w];
}

/* Of a proxy: its kind, or what it calls itself. */
static const char *front_name(const struct doctor *d, enum doctor_web front)
{
	switch (front) {
	case WEB_LIGHTTPD: return "lighttpd";
	case WEB_NGINX: return "nginx";
	case WEB_APACHE_PROXY: return "Apache";
	default: return *d->front_name ? d->front_name : "a proxy";
	}
}

/*
 * Debian's Apache has MaxRequestWorkers 150. lighttpd has a third of its file
 * descriptors, 1,024 if nobody says more, and takes at most 8,192 unless server.max-fds is
 * set. Debian's nginx has 768 connections in each worker process, and an answer takes
 * two; it does not tell its name unless it is configured to, so it is the other server
 * as well.
 */
enum { LIGHTTPD_FILES = 8192 };

static const int web_workers[WEB__MAX] = {
	[WEB_LIGHTTPD] = 341, [WEB_LIGHTTPD_SPAWN] = 341,
	[WEB_APACHE_PROXY] = 150, [WEB_APACHE_FCGID] = 150, [WEB_APACHE_CGI] = 150,
	[WEB_NGINX] = 384, [WEB_OTHER] = 384,
};

int doctor_web_workers(enum doctor_web w, int64_t files)
{
	return files > 0 && (w == WEB_LIGHTTPD || w == WEB_LIGHTTPD_SPAWN)
		? (int)MAX(MIN(files, LIGHTTPD_FILES) / 3, 1) : web_workers[w];
}

enum doctor_web doctor_web_of(struct str software, enum doctor_gateway g)
{
	if (software.n >= 8 && !strncasecmp(software.p, "lighttpd", 8))
		return g == GATEWAY_SPAWNED ? WEB_LIGHTTPD_SPAWN : WEB_LIGHTTPD;
	if (software.n >= 5 && !strncasecmp(software.p, "nginx", 5))
		return WEB_NGINX;
	if (software.n < 6 || strncasecmp(software.p, "Apache", 6) != 0)
		return WEB_OTHER;
	return g == GATEWAY_CGI ? WEB_APACHE_CGI
		: g == GATEWAY_SPAWNED ? WEB_APACHE_FCGID : WEB_APACHE_PROXY;
}

void doctor_name_servers(struct doctor *d, struct str outer, struct str inner,
			 enum doctor_passed p, enum doctor_gateway g)
{
	enum doctor_web seen = doctor_web_of(outer, GATEWAY_UNKNOWN);
	bool differ = inner.n && outer.n &&
		seen != doctor_web_of(inner, GATEWAY_UNKNOWN);
	enum doctor_web marked = p == PASSED_BY_APACHE ? WEB_APACHE_PROXY
		: p == PASSED_BY_LIGHTTPD ? WEB_LIGHTTPD : WEB_OTHER;
	struct buf name = BUF_INIT(8 * NAME_CHARS);

	/* With our sample, nginx is the one that does not name itself. */
	d->web = inner.n ? doctor_web_of(inner, g)
		: p && seen != WEB_NGINX ? WEB_OTHER : doctor_web_of(outer, g);
	d->has_front = p || differ;
	/*
	 * nginx puts its own name into an answer; Apache, lighttpd and others leave
	 * that of the server behind them.
	 */
	if (!differ && p > PASSED_ON) {
		seen = marked;
	} else if (!differ && inner.n) {
		seen = WEB_OTHER;
		outer = STR("");
	}
	d->front = seen;
	/* It stands between the two, or in front of a server that put its own name. */
	d->second = p > PASSED_ON ? marked : seen;
	/* Cut and cleaned like the texts of findings. */
	outer = utf8_head(outer, NAME_CHARS);
	utf8_scrub(&name, outer);
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20)
			name.p[i] = ' ';
	d->front_name = arena_memdup(d->arena, name.p, name.n);
	buf_release(&name);
}

/*
 * What a proxy in front needs. Names in braces are replaced (put_value), here and
 * below.
 */
static const char *const fronts[ADVICE__MAX][WEB__MAX] = {
	[ADVICE_ORIGIN] = {
		[WEB_NGINX] = "proxy_set_header Host $http_host;",
		[WEB_APACHE_PROXY] = "ProxyPreserveHost On",
		[WEB_OTHER] = "Pass the request header Host on unchanged.",
	},
	[ADVICE_METHODS] = {
		[WEB_OTHER] = "Let PATCH, PUT and DELETE through below {base}/api/.",
	},
	[ADVICE_HEADER] = {
		[WEB_LIGHTTPD] = "setenv.set-request-header = (\"{header}\" => \"\")",
		[WEB_APACHE_PROXY] = "RequestHeader unset {header}",
		[WEB_NGINX] = "proxy_set_header {header} \"\";",
		[WEB_OTHER] = "Remove the request header {header} from client requests.",
	},
	[ADVICE_STREAM] = {
		[WEB_LIGHTTPD] = "server.stream-response-body = 1",
		[WEB_APACHE_PROXY] = "ProxyPass \"{base}/\" \"http://…{base}/\" flushpackets=on",
		[WEB_NGINX] = "proxy_buffering off;",
		[WEB_OTHER] = "Switch off buffering of answers.",
	},
	[ADVICE_QUIET] = {
		[WEB_LIGHTTPD] = "server.max-write-idle = 360",
		[WEB_APACHE_PROXY] = "ProxyTimeout 120",
		[WEB_NGINX] = "proxy_read_timeout 120s;",
		[WEB_OTHER] = "Allow two minutes between two parts of an answer.",
	},
	[ADVICE_COMPRESS] = {
		[WEB_LIGHTTPD] = "deflate.mimetypes = (\"text/html\", \"text/css\", \"text/javascript\")",
		[WEB_APACHE_PROXY] = "SetEnv no-gzip 1",
		[WEB_NGINX] = "gzip off;",
		[WEB_OTHER] = "Leave text/event-stream uncompressed.",
	},
	[ADVICE_BROTLI] = {
		[WEB_APACHE_PROXY] = "SetEnv no-brotli 1",
		[WEB_NGINX] = "brotli off;",
		[WEB_OTHER] = "Leave text/event-stream uncompressed.",
	},
	[ADVICE_BODY] = {
		[WEB_LIGHTTPD] = "server.max-request-size = {kib}",
		[WEB_APACHE_PROXY] = "LimitRequestBody {bytes}",
		[WEB_NGINX] = "client_max_body_size {mib}m;",
		[WEB_OTHER] = "Allow request bodies of {mib} MB.",
	},
};

/* A server without a row of its own gets that of its kind, or WEB_OTHER's. */
static const char *const lines[ADVICE__MAX][WEB__MAX] = {
	[ADVICE_ROUTE] = {
		[WEB_LIGHTTPD] = "$HTTP[\"url\"] =~ \"^{base}/(api|openai|plain)(/|$)\" {\n"
			"\tfastcgi.server = (\"{base}/\" => ((\"socket\" => \"/run/lamplighter/fcgi.sock\", \"check-local\" => \"disable\")))\n}",
		[WEB_LIGHTTPD_SPAWN] = "$HTTP[\"url\"] =~ \"^{base}/(api|openai|plain)(/|$)\" {\n"
			"\tfastcgi.server = (\"{base}/\" => ((\"bin-path\" => \"{libexec}/lamplighter.fcgi\", "
			"\"socket\" => \"/run/lighttpd/lamplighter.sock\", \"max-procs\" => 1, \"check-local\" => \"disable\")))\n}",
		[WEB_APACHE_PROXY] = "<LocationMatch \"^{base}/(api|openai|plain)(/|$)\">\n"
			"\tSetHandler \"proxy:unix:/run/lamplighter/fcgi.sock|fcgi://lamplighter\"\n</LocationMatch>",
		[WEB_APACHE_FCGID] = "ScriptAliasMatch \"^{base}/(api|openai|plain)(/|$)\" \"{libexec}/lamplighter.fcgi\"",
		[WEB_APACHE_CGI] = "RewriteRule ^(api|openai|plain)(/|$) lamplighter.cgi [L]",
		[WEB_NGINX] = "location ~ \"^{base}/(api|openai|plain)(/|$)\" {\n"
			"\tfastcgi_pass unix:/run/lamplighter/fcgi.sock;\n"
			"\tfastcgi_param LAMPLIGHTER_BASE \"{base}\";\n"
			"\tfastcgi_param REQUEST_METHOD $request_method;\n"
			"\tfastcgi_param REQUEST_URI $request_uri;\n"
			"\tfastcgi_param CONTENT_TYPE $content_type;\n"
			"\tfastcgi_param CONTENT_LENGTH $content_length;\n}",
		[WEB_OTHER] = "Pass {base}/api, {base}/openai and {base}/plain to the responder.",
	},
	[ADVICE_PAGE] = {
		[WEB_LIGHTTPD] = "alias.url += (\"{base}/\" => \"{data}/www/\")",
		[WEB_APACHE_PROXY] = "Alias \"{base}/\" \"{data}/www/\"\n"
			"<Directory \"{data}/www\">\n\tRequire all granted\n\tDirectoryIndex index.html\n</Directory>",
		[WEB_APACHE_FCGID] = "Alias \"{base}/\" \"{data}/www/\"\n"
			"<Directory \"{data}/www\">\n\tRequire all granted\n\tDirectoryIndex index.html\n</Directory>",
		[WEB_APACHE_CGI] = "DirectoryIndex index.html",
		[WEB_NGINX] = "location \"{base}/\" {\n\talias {data}/www/;\n\tindex index.html;\n}",
		[WEB_OTHER] = "Serve {data}/www/ under {base}/.",
	},
	[ADVICE_TOKEN] = {
		[WEB_APACHE_PROXY] = "CGIPassAuth On",
		[WEB_APACHE_FCGID] = "CGIPassAuth On",
		[WEB_APACHE_CGI] = "CGIPassAuth On",
		[WEB_NGINX] = "fastcgi_param HTTP_AUTHORIZATION $http_authorization;",
		[WEB_OTHER] = "Pass the request header Authorization on to the responder.",
	},
	[ADVICE_BEARER] = {
		[WEB_LIGHTTPD] = "$REQUEST_HEADER[\"Authorization\"] !~ \"^Bearer \" {\n\tauth.require = …\n}",
		[WEB_APACHE_PROXY] = "<If \"%{HTTP:Authorization} !~ /^Bearer /\">\n\tRequire valid-user\n</If>",
		[WEB_APACHE_FCGID] = "<If \"%{HTTP:Authorization} !~ /^Bearer /\">\n\tRequire valid-user\n</If>",
		[WEB_APACHE_CGI] = "<If \"%{HTTP:Authorization} !~ /^Bearer /\">\n\tRequire valid-user\n</If>",
		[WEB_NGINX] = "if ($http_authorization ~ \"^Bearer \") {\n\tset $lamplighter_realm off;\n}\nauth_basic $lamplighter_realm;",
		[WEB_OTHER] = "Let requests with \"Authorization: Bearer\" pass the sign-in; the responder checks the token.",
	},
	[ADVICE_IDENTITY] = {
		[WEB_LIGHTTPD] = "auth.require = (\"\" => (\"method\" => \"basic\", \"realm\" => \"Intranet\", \"require\" => \"valid-user\"))",
		[WEB_APACHE_PROXY] = "Require valid-user",
		[WEB_APACHE_FCGID] = "Require valid-user",
		[WEB_APACHE_CGI] = "Require valid-user",
		[WEB_NGINX] = "fastcgi_param REMOTE_USER $remote_user;\nfastcgi_param AUTH_TYPE Basic;",
		[WEB_OTHER] = "Pass REMOTE_USER and AUTH_TYPE to the responder.",
	},
	[ADVICE_PASSWORD] = {
		[WEB_NGINX] = "auth_basic \"Intranet\";\nauth_basic_user_file \"{etc}/htpasswd\";",
		[WEB_OTHER] = "Set REMOTE_USER and AUTH_TYPE only where the password was checked.",
	},
	[ADVICE_HEADER] = {
		[WEB_LIGHTTPD] = "setenv.set-request-header = (\"{header}\" => \"\")",
		[WEB_APACHE_PROXY] = "RequestHeader unset {header}",
		[WEB_APACHE_FCGID] = "RequestHeader unset {header}",
		[WEB_APACHE_CGI] = "RequestHeader unset {header}",
		[WEB_NGINX] = "fastcgi_param {param} \"\";",
		[WEB_OTHER] = "Remove the request header {header} from client requests.",
	},
	[ADVICE_ORIGIN] = {
		[WEB_OTHER] = "server: {origin: \"{origin}\"}   # in lamplighter.yaml",
	},
	[ADVICE_METHODS] = {
		[WEB_APACHE_PROXY] = "<Limit PATCH PUT DELETE>\n\tRequire valid-user\n</Limit>",
		[WEB_APACHE_FCGID] = "<Limit PATCH PUT DELETE>\n\tRequire valid-user\n</Limit>",
		[WEB_APACHE_CGI] = "<Limit PATCH PUT DELETE>\n\tRequire valid-user\n</Limit>",
		[WEB_OTHER] = "Let PATCH, PUT and DELETE through below {base}/api/.",
	},
	[ADVICE_QUIET] = {
		[WEB_LIGHTTPD] = "server.max-write-idle = 360",
		[WEB_APACHE_PROXY] = "<Proxy \"fcgi://lamplighter\">\n\tProxySet timeout=120\n</Proxy>",
		[WEB_APACHE_FCGID] = "FcgidIOTimeout 120",
		[WEB_APACHE_CGI] = "TimeOut 120",
		[WEB_NGINX] = "fastcgi_read_timeout 120s;",
		[WEB_OTHER] = "Allow two minutes between two parts of an answer.",
	},
	[ADVICE_STREAM] = {
		[WEB_LIGHTTPD] = "server.stream-response-body = 1",
		[WEB_APACHE_PROXY] = "<Proxy \"fcgi://lamplighter\">\n\tProxySet flushpackets=on\n</Proxy>",
		[WEB_APACHE_FCGID] = "FcgidOutputBufferSize 0",
		[WEB_APACHE_CGI] = "SetEnv no-gzip 1",
		[WEB_NGINX] = "fastcgi_buffering off;",
		[WEB_OTHER] = "Switch off buffering of answers (and of every proxy in front).",
	},
	[ADVICE_COMPRESS] = {
		[WEB_LIGHTTPD] = "deflate.mimetypes = (\"text/html\", \"text/css\", \"text/javascript\")",
		[WEB_APACHE_PROXY] = "SetEnv no-gzip 1",
		[WEB_APACHE_FCGID] = "SetEnv no-gzip 1",
		[WEB_APACHE_CGI] = "SetEnv no-gzip 1",
		[WEB_NGINX] = "gzip off;",
		[WEB_OTHER] = "Leave text/event-stream uncompressed.",
	},
	[ADVICE_BROTLI] = {
		[WEB_APACHE_PROXY] = "SetEnv no-brotli 1",
		[WEB_APACHE_FCGID] = "SetEnv no-brotli 1",
		[WEB_APACHE_CGI] = "SetEnv no-brotli 1",
		[WEB_NGINX] = "brotli off;",
		[WEB_OTHER] = "Leave text/event-stream uncompressed.",
	},
	[ADVICE_BODY] = {
		[WEB_LIGHTTPD] = "server.max-request-size = {kib}",
		[WEB_APACHE_PROXY] = "<If \"%{HTTP:Content-Length} -gt {bytes}\">",
		[WEB_APACHE_FCGID] = "FcgidMaxRequestLen {more}\nLimitRequestBody 0\n"
			"<If \"%{HTTP:Content-Length} -gt {bytes}\">",
		[WEB_APACHE_CGI] = "LimitRequestBody {bytes}",
		[WEB_NGINX] = "client_max_body_size {mib}m;",
		[WEB_OTHER] = "Allow request bodies of {mib} MB.",
	},
	[ADVICE_BASE] = {
		[WEB_LIGHTTPD] = "setenv.set-environment = (\"LAMPLIGHTER_BASE\" => \"{base}\")",
		[WEB_APACHE_PROXY] = "SetEnv LAMPLIGHTER_BASE \"{base}\"",
		[WEB_APACHE_FCGID] = "SetEnv LAMPLIGHTER_BASE \"{base}\"",
		[WEB_APACHE_CGI] = "export LAMPLIGHTER_BASE=\"{base}\"   # in lamplighter.cgi",
		[WEB_NGINX] = "fastcgi_param LAMPLIGHTER_BASE \"{base}\";",
		[WEB_OTHER] = "server: {base: \"{base}\"}   # in lamplighter.yaml",
	},
	[ADVICE_WORKERS] = {
		[WEB_LIGHTTPD] = "server.max-fds = 16384\nserver.max-connections = 8000\n"
			"server: {workers: 8000}   # in lamplighter.yaml",
		[WEB_APACHE_PROXY] = "ServerLimit 20\nThreadLimit 128\nThreadsPerChild 128\n"
			"MaxRequestWorkers 2560\n"
			"server: {workers: 2560}   # in lamplighter.yaml",
		[WEB_APACHE_FCGID] = "MaxRequestWorkers 400\nFcgidMaxProcessesPerClass 400\n"
			"server: {workers: 400}   # in lamplighter.yaml",
		[WEB_APACHE_CGI] = "MaxRequestWorkers 400\n"
			"server: {workers: 400}   # in lamplighter.yaml",
		[WEB_NGINX] = "worker_rlimit_nofile 16384;\nevents { worker_connections 8192; }\n"
			"server: {workers: 4096}   # in lamplighter.yaml",
		[WEB_OTHER] = "server: {workers: …}   # in lamplighter.yaml: as many requests as "
			"the web server serves at the same time",
	},
	[ADVICE_RESTART] = {
		[WEB_OTHER] = "cp {etc}/lamplighter.socket.sample /etc/systemd/system/lamplighter.socket\n"
			"cp {etc}/lamplighter.service.sample /etc/systemd/system/lamplighter.service\n"
			"systemctl daemon-reload && systemctl stop lamplighter\n"
			"systemctl enable --now lamplighter.socket lamplighter",
	},
	[ADVICE_WORKSPACE] = {
		[WEB_OTHER] = "cp {etc}/workspaces.d/help.yaml.sample {workspaces}/help.yaml",
	},
};

/* The parameter of a header: "X-User" is HTTP_X_USER. */
static const char *param_of(const struct doctor *d)
{
	char *p = arena_printf(d->arena, "HTTP_%s", d->header);

	for (char *c = p; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	return p;
}

/* Appends the value of the name in braces at p; returns its length with the braces, or 0. */
static size_t put_value(struct buf *b, const struct doctor *d, const char *p)
{
	const int mib = MAX(d->conf->limits.body_bytes / MIB + 1, LEAST_MIB);
	const struct {
		const char *name, *text;
		long long number;
	} values[] = {
		{ .name = "{base}", .text = d->base },
		{ .name = "{origin}", .text = d->origin ? d->origin : "https://…" },
		{ .name = "{workspaces}", .text = d->conf->workspaces_dir },
		{ .name = "{data}", .text = LAMPLIGHTER_DATADIR },
		{ .name = "{libexec}", .text = LAMPLIGHTER_LIBEXECDIR },
		{ .name = "{etc}", .text = LAMPLIGHTER_SYSCONFDIR },
		{ .name = "{header}", .text = d->header ? d->header : "" },
		{ .name = "{param}", .text = d->header ? param_of(d) : "" },
		{ .name = "{mib}", .number = mib },
		{ .name = "{kib}", .number = mib * 1024LL },
		{ .name = "{bytes}", .number = (long long)mib * MIB },
		/* mod_fcgid must not be the first to refuse: it says 500 */
		{ .name = "{more}", .number = (long long)mib * MIB + LIM_BODY_DRAIN_BYTES },
	};

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		size_t n = strlen(values[i].name);

		if (strncmp(p, values[i].name, n) != 0)
			continue;
		if (values[i].text)
			buf_adds(b, values[i].text);
		else
			buf_addf(b, "%lld", values[i].number);
		return n;
	}
	return 0;
}

static void put_lines(struct buf *b, const struct doctor *d, const char *p)
{
	while (*p) {
		size_t n = *p == '{' ? put_value(b, d, p) : 0;

		if (!n)
			buf_addc(b, *p);
		p += MAX(n, 1);
	}
}

/* The row of a server, or of its kind, or of all others; NULL if there is none. */
static const char *row_of(const char *const rows[WEB__MAX], enum doctor_web w)
{
	if (!rows[w] && w == WEB_LIGHTTPD_SPAWN)
		w = WEB_LIGHTTPD;
	return rows[w] ? rows[w] : rows[WEB_OTHER];
}

const char *doctor_advice(const struct doctor *d, enum doctor_topic t)
{
	const char *front = d->has_front ? row_of(fronts[t], d->front) : NULL;
	struct buf b = BUF_INIT(ADVICE_BYTES);
	const char *out;

	if (front) {
		buf_addf(&b, "# %s, in front:\n", front_name(d, d->front));
		put_lines(&b, d, front);
		if (d->second != d->front) {
			buf_addf(&b, "\n# %s, in front too:\n",
				 front_name(d, d->second));
			put_lines(&b, d, row_of(fronts[t], d->second));
		}
		buf_addf(&b, "\n# %s:\n", doctor_web_name(d->web));
	}
	put_lines(&b, d, row_of(lines[t], d->web));
	out = arena_strdup(d->arena, b.p);
	buf_release(&b);
	return out;
}

void doctor_add(struct doctor *d, enum doctor_check c, enum doctor_result r,
		const char *subject, const char *advice, const char *fmt, ...)
{
	struct buf clean = BUF_INIT(4 * TEXT_BYTES);
	char text[TEXT_BYTES];
	va_list ap;

	d->worst = MAX(d->worst, r);
	if (d->n == DOCTOR_FINDINGS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* It may quote a server, and may have been cut. */
	utf8_scrub(&clean, str_of(text));
	for (size_t i = 0; i < clean.n; i++)
		if ((unsigned char)clean.p[i] < 0x20)
			clean.p[i] = ' ';
	d->items[d->n++] = (struct doctor_finding){
		.check = c, .result = r,
		.subject = arena_strdup(d->arena, subject),
		.text = arena_strdup(d->arena, clean.p),
		.advice = arena_strdup(d->arena, advice),
	};
	buf_release(&clean);
}

/* Few items, and those of one check stay in their order. */
static void sort(struct doctor *d)
{
	for (size_t i = 1; i < d->n; i++) {
		struct doctor_finding f = d->items[i];
		size_t k = i;

		for (; k && d->items[k - 1].check > f.check; k--)
			d->items[k] = d->items[k - 1];
		d->items[k] = f;
	}
}

void doctor_write(struct doctor *d, struct jw *w)
{
	struct buf front = BUF_INIT(16 * NAME_CHARS);

	sort(d);
	jw_obj(w);
	jw_kstrz(w, "result", results[d->worst]);
	jw_kstrz(w, "server", doctor_web_name(d->web));
	if (d->has_front)
		buf_adds(&front, front_name(d, d->front));
	if (d->second != d->front)
		buf_addf(&front, ", %s", front_name(d, d->second));
	jw_kstr(w, "front", buf_str(&front));
	buf_release(&front);
	jw_kstrz(w, "base", d->base);
	jw_key(w, "items");
	jw_arr(w);
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_finding *f = &d->items[i];

		jw_obj(w);
		jw_kstrz(w, "check", doctor_rows[f->check].name);
		jw_kstrz(w, "title", doctor_rows[f->check].title);
		jw_kstrz(w, "result", results[f->result]);
		jw_kstrz(w, "subject", f->subject);
		jw_kstrz(w, "text", f->text);
		jw_kstrz(w, "advice", f->advice);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}
