/* SPDX-License-Identifier: MIT */
/* decode: a provider's answer as neutral events. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "llm/decode_cli.h"

#include "base/banned.h"

int cli_decode(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "quirks", required_argument, NULL, 'q' },
		{ NULL, 0, NULL, 0 },
	};
	json_auto_t *quirks = NULL;
	struct err e = ERR_INIT;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c != 'q')
			return cli_usage(cli, "invalid option");
		json_decref(quirks);
		quirks = jx_load(str_of(optarg), &e);
		if (!json_is_object(quirks))
			return cli_usage(cli, "--quirks takes a JSON object");
	}
	if (optind != argc - 1)
		return cli_usage(cli, "name the provider");
	if (llm_decode_stream(argv[optind], quirks, stdin, stdout, &e))
		return cli_failed(&e);
	return CLI_OK;
}
