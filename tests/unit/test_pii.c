/* SPDX-License-Identifier: MIT */
/* Personal data by its form (lib/tool/text/pii.c). */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tool/text/pii.h"

enum { ALL = (1u << PII__MAX) - 1 };

/* "kind value|kind value|…" of what is found in text. */
static void found(unsigned kinds, const char *text, size_t n, struct buf *out)
{
	/* a copy of just these bytes, so that reading on is seen by sanitizers */
	char *copy = malloc(n ? n : 1);
	struct pii_scan s = { .kinds = kinds };
	size_t end = 0;
	struct pii p;

	memcpy(copy, text, n);
	s.text = (struct str){ copy, n };
	while (pii_next(&s, &p)) {
		assert_true(p.offset >= end && p.n > 0);
		end = p.offset + p.n;
		assert_true(end <= n);
		buf_addf(out, "%s%s %.*s", out->n ? "|" : "", pii_name(p.kind),
			 (int)p.n, copy + p.offset);
	}
	free(copy);
}

static void assert_found(unsigned kinds, const char *text, const char *want)
{
	struct buf b = BUF_INIT(65536);

	found(kinds, text, strlen(text), &b);
	if (strcmp(b.p, want))
		fail_msg("\"%s\": found \"%s\", not \"%s\"", text, b.p, want);
	buf_release(&b);
}

struct sample {
	const char *text, *want;
};

static void check(unsigned kinds, const struct sample *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_found(kinds, t[i].text, t[i].want);
}

/* -- kinds ------------------------------------------------------------------ */

static void emails(void **state)
{
	static const struct sample t[] = {
		{ "ada@example.org", "email ada@example.org" },
		{ "to <ada.l+x%y@mail.example.co.uk>.",
		  "email ada.l+x%y@mail.example.co.uk" },
		{ "ada@example.org.", "email ada@example.org" },
		{ "ada@example.org-", "email ada@example.org" },
		{ "a@b.cd,e@f.gh", "email a@b.cd|email e@f.gh" },
		{ "mail:ada@example.org", "email ada@example.org" },
		{ "ada@example", "" }, { "ada@example.c", "" },
		{ "ada@example.123", "" }, { "@example.org", "" },
		{ "ada@", "" }, { "ada@.", "" }, { "ada@.org", "" },
		{ ".ada@example.org", "email ada@example.org" },
		{ "x@y@example.org", "email y@example.org" },
		/* scripts without blanks, and signs that are no letters */
		{ "\xe3\x81\xaf" "ada@example.org\xe3\x81\xa7", "email ada@example.org" },
		{ "\xc2\xab" "ada@example.org\xc2\xbb", "email ada@example.org" },
		{ "\xc2\xa0" "ada@example.org", "email ada@example.org" },
		{ "m\xc3\xbcller@example.org", "" },
	};

	(void)state;
	check(1u << PII_EMAIL, t, ARRAY_LEN(t));
}

static void an_email_has_a_length(void **state)
{
	char text[512];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text + 64, "@b.cd", 6);
	assert_found(ALL, text + 1, "email aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		     "aaaaaaaaaaaaaaaaaaaaaaa@b.cd");
	memset(text, 'a', sizeof(text));
	memcpy(text + 65, "@b.cd", 6);
	assert_found(ALL, text, "");
}

static void phones(void **state)
{
	static const struct sample t[] = {
		{ "+49 30 901820", "phone +49 30 901820" },
		{ "+4930901820,", "phone +4930901820" },
		{ "(030) 901-8200", "phone (030) 901-8200" },
		{ "030/9018200", "phone 030/9018200" },
		{ "0309018200", "" },			/* a plain number */
		{ "+49 30", "" }, { "+", "" }, { "(", "" }, { "(030", "" },
		{ "01.02.2026 10", "" },		/* a date */
		{ "+49 30 9018 2000 1234 5678", "" },	/* too many */
		{ "+49 30 901820x", "" },
		{ "(030 901-8200)", "phone 030 901-8200" },
		{ "+49 (0)30 901820", "phone +49 (0)30 901820" },
	};

	(void)state;
	check(1u << PII_PHONE, t, ARRAY_LEN(t));
}

static void ibans(void **state)
{
	static const struct sample t[] = {
		{ "DE89370400440532013000", "iban DE89370400440532013000" },
		{ "DE89 3704 0044 0532 0130 00.", "iban DE89 3704 0044 0532 0130 00" },
		{ "DE88370400440532013000", "" },	/* modulo 97 */
		{ "DE8937040044053201300", "" },	/* too short */
		{ "DE893704004405320130001", "" },	/* too long */
		{ "GB29NWBK60161331926819", "iban GB29NWBK60161331926819" },
		{ "NO9386011117947", "iban NO9386011117947" },	/* shortest */
		{ "MT84MALT011000012345MTLCAST001S", "iban MT84MALT011000012345MTLCAST001S" },
		{ "de89370400440532013000", "" },
		/* whole groups of four, and then a word in capitals */
		{ "AT61 1904 3002 3457 3201 BIC OPSKATWW",
		  "iban AT61 1904 3002 3457 3201" },
		{ "AT611904300234573201 BIC", "iban AT611904300234573201" },
		{ "XX89370400440532013000", "" },	/* no country */
		{ "DE89", "" }, { "DE", "" }, { "DE89 ", "" },
	};

	(void)state;
	check(1u << PII_IBAN, t, ARRAY_LEN(t));
}

static void cards(void **state)
{
	static const struct sample t[] = {
		{ "4111111111111111", "card 4111111111111111" },
		{ "4111 1111 1111 1111", "card 4111 1111 1111 1111" },
		{ "4111-1111-1111-1111!", "card 4111-1111-1111-1111" },
		{ "4111111111111112", "" },		/* Luhn */
		{ "378282246310005", "card 378282246310005" },
		{ "5555555555554444", "card 5555555555554444" },
		{ "2223003122003222", "card 2223003122003222" },
		{ "2000000000000006", "" },		/* no network */
		{ "1111111111111117", "" }, { "411111111111", "" },
		{ "41111111111111111111", "" },		/* twenty */
		{ "4111111111111111a", "" }, { "a4111111111111111", "" },
		/* what is behind it: when it expires, its check number */
		{ "4111 1111 1111 1111 12/27", "card 4111 1111 1111 1111" },
		{ "4111 1111 1111 1111 123", "card 4111 1111 1111 1111" },
	};

	(void)state;
	check(1u << PII_CARD, t, ARRAY_LEN(t));
}

static void social_security_numbers(void **state)
{
	static const struct sample t[] = {
		{ "078-05-1120", "ssn 078-05-1120" },
		{ "000-05-1120", "" }, { "666-05-1120", "" },
		{ "900-05-1120", "" }, { "078-00-1120", "" },
		{ "078-05-0000", "" }, { "078-05-112", "" },
		{ "078-05-11201", "" }, { "1078-05-1120", "" },
		{ "078 05 1120", "" },
	};

	(void)state;
	check(1u << PII_SSN, t, ARRAY_LEN(t));
}

static void addresses(void **state)
{
	static const struct sample t[] = {
		{ "192.0.2.7", "ip 192.0.2.7" }, { "1.1.1.1", "ip 1.1.1.1" },
		{ "(192.0.2.7).", "ip 192.0.2.7" },
		{ "192.0.2.7:8080", "ip 192.0.2.7" },
		{ "192.0.2.256", "" }, { "192.0.2", "" }, { "1.2.3.4.5", "" },
		{ "2001:db8::1", "ip 2001:db8::1" },
		{ "[2001:db8::1]:443", "ip 2001:db8::1" },
		{ "2001:db8:0:1:2:3:4:5", "ip 2001:db8:0:1:2:3:4:5" },
		{ "::ffff:192.0.2.7", "ip ::ffff:192.0.2.7" },
		{ "10:20:30", "" }, { "10:20:30:40:50:60", "" },
		{ "12:34:56:78:90:12:34:56", "" },
		{ "192.0.2.7x", "" },
	};

	(void)state;
	check(1u << PII_IP, t, ARRAY_LEN(t));
}

static void keys(void **state)
{
	static const struct sample t[] = {
		{ "AKIAIOSFODNN7EXAMPLE", "key AKIAIOSFODNN7EXAMPLE" },
		{ "AKIAIOSFODNN7EXAMPL", "" },
		{ "ghp_0123456789abcdefghij0123456789abcdef",
		  "key ghp_0123456789abcdefghij0123456789abcdef" },
		{ "sk-short", "" },
		{ "-----BEGIN PRIVATE KEY-----", "key -----BEGIN PRIVATE KEY" },
		{ "-----BEGIN RSA PRIVATE KEY-----", "key -----BEGIN RSA PRIVATE KEY" },
		{ "-----BEGIN CERTIFICATE-----", "" },
		{ "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln",
		  "key eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln" },
		{ "eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIxMjM0NTY3ODkwIn0", "" },
	};

	(void)state;
	check(1u << PII_KEY, t, ARRAY_LEN(t));
}

static void passwords(void **state)
{
	static const struct sample t[] = {
		{ "password=hunter2", "password password=hunter2" },
		{ "Password: hunter2\n", "password Password: hunter2" },
		{ "{\"pwd\": \"hunter2\"}", "password pwd\": \"hunter2" },
		{ "pwd='hunter2'", "password pwd='hunter2" },
		{ "Kennwort = geheim", "password Kennwort = geheim" },
		{ "DB_PASSWORD=hunter2", "password DB_PASSWORD=hunter2" },
		{ "spring.datasource.password: hunter2",
		  "password spring.datasource.password: hunter2" },
		{ "client-secret:      hunter2", "password client-secret:      hunter2" },
		{ "aws_secret_access_key=abcdefgh",
		  "password aws_secret_access_key=abcdefgh" },
		{ "password=abc", "" },			/* too short */
		{ "password=****", "" }, { "password=${PW}", "" },
		{ "password", "" }, { "password=", "" }, { "password =\n", "" },
		{ "passwords are long", "" }, { "secretary: Miller", "" },
		{ "max_tokens=4096", "" },
	};

	(void)state;
	check(1u << PII_PASSWORD, t, ARRAY_LEN(t));
}

/* -- the scan --------------------------------------------------------------- */

static void only_what_is_asked_for(void **state)
{
	static const char text[] = "ada@example.org 192.0.2.7 078-05-1120";

	(void)state;
	assert_found(ALL, text, "email ada@example.org|ip 192.0.2.7|ssn 078-05-1120");
	assert_found(1u << PII_IP, text, "ip 192.0.2.7");
	assert_found(0, text, "");
	assert_found(ALL, "", "");
}

static void places_are_told(void **state)
{
	static const char text[] = "x\n\xc3\xa4\xc3\xb6 a@b.cd \xf0\x9f\x98\x80 e@f.gh\n\nk@l.mn";
	static const struct pii want[] = {
		{ PII_EMAIL, 7, 6, 2, 4 }, { PII_EMAIL, 19, 6, 2, 13 },
		{ PII_EMAIL, 27, 6, 4, 1 },
	};
	struct pii_scan s = { .text = STR(text), .kinds = ALL };
	struct pii p;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_true(pii_next(&s, &p));
		assert_int_equal(p.kind, want[i].kind);
		assert_int_equal(p.offset, want[i].offset);
		assert_int_equal(p.n, want[i].n);
		assert_int_equal(p.line, want[i].line);
		assert_int_equal(p.column, want[i].column);
	}
	assert_false(pii_next(&s, &p));
	assert_false(pii_next(&s, &p));
}

/* Wherever a text ends, it is not read on: found() gives it just its bytes. */
static void a_text_may_end_anywhere(void **state)
{
	static const char text[] = "ada@example.org +49 30 901820 DE89 3704 0044 "
		"0532 0130 00 4111 1111 1111 1111 078-05-1120 2001:db8::1 "
		"192.0.2.7 password=\"hunter2\" AKIAIOSFODNN7EXAMPLE "
		"-----BEGIN PRIVATE KEY----- (030) 901-8200 \xc3\xa4 \xe3\x81\xaf";

	(void)state;
	for (size_t from = 0; from < sizeof(text); from++)
		for (size_t to = from; to < sizeof(text); to++) {
			struct buf b = BUF_INIT(4096);

			found(ALL, text + from, to - from, &b);
			buf_release(&b);
		}
}

/* A megabyte of what looks like the beginning of something, on one line. */
static void it_is_linear(void **state)
{
	static const char *const parts[] = {
		"a@b.cd ", "eyJ-", "eyJ", "password ", "a.", "4111 ", "0 ", "+1 ",
		"DE89 ", "(1", "1:", "f:", "-----BEGIN ", "sk-", "a-", "\xc3\xa4",
		"4111-1111-1111-111", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.",
	};
	const size_t n = 1u << 20;
	char *text = malloc(n);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct pii_scan s = { .text = { text, n }, .kinds = ALL };
		size_t m = strlen(parts[i]), count = 0;
		clock_t start = clock();
		struct pii p;

		for (size_t k = 0; k < n; k++)
			text[k] = parts[i][k % m];
		while (pii_next(&s, &p))
			count++;
		if (clock() - start > 10 * CLOCKS_PER_SEC)
			fail_msg("\"%s\": %d s for %zu places", parts[i],
				 (int)((clock() - start) / CLOCKS_PER_SEC),
				 count);
	}
	free(text);
}

/* -- masks ------------------------------------------------------------------ */

static void masks(void **state)
{
	static const struct {
		enum pii_kind kind;
		const char *value, *want;
	} t[] = {
		{ PII_EMAIL, "ada@example.org", "a**@*******.***" },
		{ PII_EMAIL, "a@b.cd", "*@*.**" },	/* short: nothing */
		{ PII_IBAN, "DE89 3704 0044 0532 0130 00",
		  "DE89 **** **** **** **** 00" },
		{ PII_CARD, "4111111111111111", "4*************11" },
		{ PII_PHONE, "+49 30 901820", "+** ** ****20" },
		{ PII_SSN, "078-05-1120", "0**-**-**20" },
		{ PII_KEY, "AKIAIOSFODNN7EXAMPLE", "AKIA****************" },
		{ PII_PASSWORD, "password=hunter2", "password********" },
		{ PII_PASSWORD, "pwd=\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f", "pwd*****" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct buf b = BUF_INIT(4096);

		pii_mask(t[i].kind, str_of(t[i].value), &b);
		if (strcmp(b.p, t[i].want))
			fail_msg("%s became %s", t[i].value, b.p);
		buf_release(&b);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(emails),
		cmocka_unit_test(an_email_has_a_length),
		cmocka_unit_test(phones),
		cmocka_unit_test(ibans),
		cmocka_unit_test(cards),
		cmocka_unit_test(social_security_numbers),
		cmocka_unit_test(addresses),
		cmocka_unit_test(keys),
		cmocka_unit_test(passwords),
		cmocka_unit_test(only_what_is_asked_for),
		cmocka_unit_test(places_are_told),
		cmocka_unit_test(a_text_may_end_anywhere),
		cmocka_unit_test(masks),
		cmocka_unit_test(it_is_linear),
	};

	return cmocka_run_group_tests_name("pii", tests, NULL, NULL);
}
