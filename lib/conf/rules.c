/* SPDX-License-Identifier: MIT */
#include "conf/rules.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "conf/addr.h"

#include "base/banned.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGIT "0123456789"

/* Whether s has 1..max characters, all of them out of set. */
static bool consists_of(const char *s, const char *set, size_t max)
{
	size_t n = strspn(s, set);

	return n > 0 && n <= max && s[n] == '\0';
}

static bool has_control(const char *s)
{
	return !str_is_line(str_of(s));
}

const char *check_slug(const char *s)
{
	if (consists_of(s, LOWER DIGIT "_-", 64) && *s != '_' && *s != '-')
		return NULL;
	return "must be 1 to 64 of a-z, 0-9, _ and -, starting with a letter "
	       "or digit";
}

const char *check_colour(const char *s)
{
	return !*s || str_is_colour(str_of(s)) ? NULL
		: "must be a colour, such as #2f6f4f";
}

const char *check_slug_or_empty(const char *s)
{
	return *s ? check_slug(s) : NULL;
}

const char *check_category(const char *s)
{
	const size_t n = utf8_chars(str_of(s));

	return n && n <= 100 && !has_control(s) ? NULL
		: "must be 1 to 100 characters in one line";
}

const char *check_ident(const char *s)
{
	if (consists_of(s, LOWER UPPER DIGIT "_-", 64) && *s != '-')
		return NULL;
	return "must be 1 to 64 letters, digits, _ and -";
}

const char *check_tool(const char *s)
{
	return consists_of(s, LOWER UPPER DIGIT "_-", 64) ? NULL
		: "must be a tool name: 1 to 64 letters, digits, _ and -";
}

const char *check_tool_choice(const char *s)
{
	if (!strncmp(s, "group:", 6))
		return check_slug(s + 6) ? "must be the name of a tool, or "
			"group: and the name of a group" : NULL;
	return check_tool(s);
}

const char *check_path(const char *s)
{
	return *s == '/' ? NULL : "must be an absolute path";
}

const char *check_dir(const char *s)
{
	return !*s || (*s == '/' && s[strspn(s, "/")]) ? NULL
		: "must be an absolute path, and not the root";
}

const char *check_env(const char *s)
{
	size_t n = strspn(s, LOWER UPPER DIGIT "_");

	if (n == 0 || s[n] != '=' || strchr(DIGIT, *s))
		return "must be \"NAME=value\"";
	return !strncmp(s, "LAMPLIGHTER_", 12)
		? "must not start with LAMPLIGHTER_" : NULL;
}

/* The text after http:// or https://, or NULL. */
static const char *behind_scheme(const char *s)
{
	if (!strncmp(s, "http://", 7))
		return s + 7;
	if (!strncmp(s, "https://", 8))
		return s + 8;
	return NULL;
}

const char *check_url(const char *s)
{
	const char *host = behind_scheme(s);

	if (!*s)
		return NULL;
	if (!host || !*host || strchr("/?#", *host))
		return "must start with http:// or https:// and a host";
	/* It would be shown by config print, and in logs. */
	if (memchr(host, '@', strcspn(host, "/?#")))
		return "must not have a login in its host";
	if (has_control(s) || strpbrk(s, " \"<>\\^`{|}"))
		return "must not have blanks or other characters that URLs "
		       "cannot have";
	return NULL;
}

/* The part that a model may fill in begins after scheme and host. */
const char *check_action_url(const char *s)
{
	const char *host = behind_scheme(s);
	const char *rest = host ? host + strcspn(host, "/?#") : s;

	if (host ? rest == host : *s != '/' || s[1] == '/' || s[1] == '\\')
		return "must be a path from / or start with http:// or "
		       "https:// and a host";
	if (host && memchr(host, '{', (size_t)(rest - host)))
		return "may have {NAME} only after its host";
	if (has_control(s) || strpbrk(s, " \"<>\\^`|"))
		return "must not have blanks or other characters that URLs "
		       "cannot have";
	for (s = rest; (s = strpbrk(s, "{}")) != NULL;) {
		size_t n = strspn(s + 1, LOWER UPPER DIGIT "_");

		if (*s == '}' || n == 0 || n > 32 || s[n + 1] != '}')
			return "must have names of 1 to 32 letters, digits "
			       "and _ in its braces";
		s += n + 2;
	}
	return NULL;
}

const char *check_mention_link(const char *s)
{
	return *s ? check_action_url(s) : NULL;
}

const char *check_url_template(const char *s)
{
	const char *host = behind_scheme(s);
	size_t n;

	if (!host || !*host || strchr("/?#", *host))
		return "must start with http:// or https:// and a host";
	n = strcspn(host, "/?#");
	if (memchr(host, '{', n) || memchr(host, '@', n))
		return "must not have a template or a login in its host";
	if (has_control(s) || strpbrk(s, " \"<>\\^`|#"))
		return "must not have blanks, # or other characters that URLs "
		       "cannot have";
	return NULL;
}

const char *check_method(const char *s)
{
	return consists_of(s, UPPER, 16) ? NULL
		: "must be a method such as GET or POST";
}

const char *check_pointer(const char *s)
{
	if (!*s)
		return NULL;
	if (*s != '/')
		return "must be a JSON pointer, such as /data/items";
	for (s = strchr(s, '~'); s; s = strchr(s + 1, '~'))
		if (s[1] != '0' && s[1] != '1')
			return "must be a JSON pointer: ~ only as ~0 (a ~) or "
			       "~1 (a /)";
	return NULL;
}

const char *check_next(const char *s)
{
	return !strcmp(s, "link") ? NULL : check_pointer(s);
}

const char *check_origin(const char *s)
{
	const char *host = behind_scheme(s);

	if (!*s)
		return NULL;
	if (!host || !consists_of(host, LOWER UPPER DIGIT "-.:[]_", 300))
		return "must be an origin such as https://www.example.org, "
		       "without a path";
	return NULL;
}

const char *check_base(const char *s)
{
	size_t n = strlen(s);

	if (!n)
		return NULL;
	if (s[0] != '/' || s[n - 1] == '/' || strstr(s, "//") ||
	    strstr(s, "/.") || !consists_of(s, LOWER UPPER DIGIT "/._~-", 1024))
		return "must be a path such as /intranet/chat, without a "
		       "slash at its end";
	return NULL;
}

static bool header_name(const char *s, size_t n)
{
	return n > 0 && n <= 128 && strspn(s, LOWER UPPER DIGIT "-") >= n;
}

const char *check_header(const char *s)
{
	return !*s || header_name(s, strlen(s)) ? NULL
		: "must be the name of a header: letters, digits and -";
}

const char *check_header_value(const char *s)
{
	return has_control(s) ? "must not have control characters" : NULL;
}

/* Lists of choices are divided by it (resource/form.h). */
const char *check_label(const char *s)
{
	return has_control(s) || strchr(s, '|')
		? "must not have control characters and |" : NULL;
}

const char *check_choice(const char *s)
{
	const size_t n = utf8_chars(str_of(s));

	return n && n <= 64 && !has_control(s) ? NULL
		: "must be 1 to 64 characters in one line";
}

const char *check_key(const char *s)
{
	return consists_of(s, LOWER DIGIT "_", 32) ? NULL
		: "must be 1 to 32 of a-z, 0-9 and _";
}

const char *check_entity(const char *s)
{
	static const char *const kinds[] = {
		"project", "document", "task", "goal", "plan", "milestone", "risk",
		"requirement",
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(s, kinds[i]) == 0)
			return NULL;
	return "must be project, document, task, goal, plan, milestone, risk or "
	       "requirement";
}

const char *check_secret_key(const char *s)
{
	static const char between[] = " \t\r\n,";

	for (s += strspn(s, between); *s; s += strspn(s, between)) {
		size_t n = strcspn(s, between);

		if (n != 64 || strspn(s, "0123456789abcdefABCDEF") < n)
			return "must be keys of 64 hexadecimal digits, as "
			       "`lamplighter secret key` prints them";
		s += n;
	}
	return NULL;
}

const char *check_extra_header(const char *s)
{
	const char *colon = strchr(s, ':');

	if (!colon || !header_name(s, (size_t)(colon - s)) || has_control(s))
		return "must be a header, \"Name: value\"";
	return NULL;
}

const char *check_param(const char *s)
{
	if (!*s)
		return NULL;
	if (!strncmp(s, "HTTP_", 5))
		return "must not start with HTTP_: clients can set those";
	return consists_of(s, UPPER DIGIT "_", 128) ? NULL
		: "must be the name of a server variable: A-Z, 0-9 and _";
}

const char *check_hash(const char *s)
{
	return strlen(s) == 64 && strspn(s, DIGIT "abcdef") == 64 ? NULL
		: "must be a SHA-256 as 64 hexadecimal digits in lower case";
}

const char *check_addr(const char *s)
{
	struct addr_net net;

	return addr_parse(str_of(s), &net) ? NULL
		: "must be an address, or a network such as 10.0.0.0/8";
}

const char *check_db_host(const char *s)
{
	char name[256];
	int port;

	return addr_host_port(str_of(s), name, &port) ? NULL
		: "must be a host, or host:port, such as db1.example.org:3306";
}

const char *check_allow(const char *s)
{
	size_t n = strncmp(s, "*.", 2) ? 0 : 2;

	n += strspn(s + n, LOWER UPPER DIGIT "-._");
	/* "10.0.0" and "10/8" are slips, not names */
	if (!check_addr(s) ||
	    (!s[n] && n > 2 && n < 254 && s[n - 1] != '.' &&
	     strspn(s, DIGIT "./") < n))
		return NULL;
	return "must be an address, a network such as 10.0.0.0/8, the name of "
	       "a host, or *. and a domain";
}

const char *check_host(const char *s)
{
	size_t n = strncmp(s, "*.", 2) ? 0 : 2;
	struct addr_net net;

	if (!strcmp(s, "*"))
		return NULL;
	if (*s == '[') {
		struct str inner = { s + 1, strcspn(s + 1, "]") };

		if (!strcmp(inner.p + inner.n, "]") && addr_parse(inner, &net))
			return NULL;
	} else {
		n += strspn(s + n, LOWER UPPER DIGIT "-._");
		if (!s[n] && n > 0 && n < 254 && s[n - 1] != '.')
			return NULL;
	}
	return "must be the name or address of a host without a port, such as "
	       "chat.example.org or [::1], or *. and a domain, or *";
}

const char *check_permission(const char *s)
{
	static const char rule[] = "must be * or names joined by dots, with * "
		"only as the last one, such as AIChat.Conversations.Read or "
		"AIChat.*";
	size_t n;

	for (;;) {
		if (!strcmp(s, "*"))
			return NULL;
		n = strspn(s, LOWER UPPER DIGIT "_-");
		if (n == 0 || n > 64)
			return rule;
		s += n;
		if (!*s)
			return NULL;
		if (*s++ != '.')
			return rule;
	}
}

const char *check_group(const char *s)
{
	if (!strcmp(s, "*"))
		return "is everyone, and can be nobody's group";
	return *s && strlen(s) <= LIM_GROUP_BYTES && !has_control(s) ? NULL
		: "must be the name of a group";
}

const char *check_login(const char *s)
{
	return *s && strlen(s) <= LIM_USER_BYTES && !has_control(s) ? NULL
		: "must be a login";
}

const char *check_clock(const char *s)
{
	if (!*s)
		return NULL;
	if (strlen(s) == 5 && s[2] == ':' && strspn(s, DIGIT) == 2 &&
	    strspn(s + 3, DIGIT) == 2 && strncmp(s, "24", 2) < 0 && s[3] < '6')
		return NULL;
	return "must be a time of the day as HH:MM, 00:00 to 23:59";
}

const char *check_table(const char *s)
{
	size_t n;

	if (!*s)
		return NULL;
	n = strspn(s, LOWER UPPER DIGIT "_$");
	if (s[n] == '.' && n > 0 && n <= 64) {
		s += n + 1;
		n = strspn(s, LOWER UPPER DIGIT "_$");
	}
	return n > 0 && n <= 64 && !s[n] ? NULL
		: "must be a table or schema.table of letters, digits, _ "
		  "and $; use `from` for anything else";
}

/* The end of the quoted part that starts at s, or NULL if it is not closed. */
static const char *behind_quote(const char *s)
{
	char q = *s++;

	for (; *s; s++) {
		if (*s == '\\' && q != '`' && s[1])
			s++;
		else if (*s == q)
			return s + 1;
	}
	return NULL;
}

static bool known_placeholder(const char *s, size_t n)
{
	static const char *const names[] = {
		"user", "user_id", "tenant", "groups",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == n && !strncmp(s, names[i], n))
			return true;
	return false;
}

/*
 * Not a parser: it finds faults that would break the statement of which this
 * text becomes a part (open quotes and comments, unknown placeholders). The
 * meaning of the SQL is up to the admin and the server.
 */
static const char *sql_part(const char *s, bool placeholders)
{
	int depth = 0;

	while (*s) {
		if (strchr("'\"`", *s)) {
			s = behind_quote(s);
			if (!s)
				return "has a quote that is not closed";
			continue;
		}
		if (*s == '#' || !strncmp(s, "--", 2) || !strncmp(s, "/*", 2))
			return "must not have comments";
		if (*s == ';')
			return "must be one part of a statement, without ;";
		if (*s == '?')
			return placeholders
				? "must not have ?; use :user, :user_id, "
				  ":tenant or :groups"
				: "must not have ?";
		if (*s == '(')
			depth++;
		if (*s == ')' && --depth < 0)
			return "has a ) without a (";
		if (*s == ':' && s[1] != '=') {
			size_t n = strspn(s + 1, LOWER UPPER DIGIT "_.");

			if (n && !placeholders)
				return "must not have :names; only `where` "
				       "may";
			if (n && !known_placeholder(s + 1, n))
				return "may only use the names :user, "
				       ":user_id, :tenant and :groups";
			s += n;
		}
		s++;
	}
	return depth ? "has a ( that is not closed" : NULL;
}

const char *check_sql(const char *s)
{
	return sql_part(s, false);
}

const char *check_where(const char *s)
{
	return sql_part(s, true);
}
