/* SPDX-License-Identifier: MIT */
/* What the program is and how people use it, for questions about itself (C-T6, C-T7). */
#include "tool/entity/onto.h"

#include "base/banned.h"

static const char overview[] =
	"# What Lamplighter does\n"
	"- Chat with agents that read and, if the user agrees, change what the user may see "
	"and change. Answers are stored and can be continued, edited, regenerated, forked.\n"
	"- Workspaces have agents for a purpose; each agent has tools: tables of this site, "
	"web services, documents, projects.\n"
	"- Knowledge bases: documents that answers cite, by page.\n"
	"- Projects: documents in a tree, tasks, goals, plans, milestones, risks and "
	"requirements, with members who see (viewer), change (editor) or own them.\n"
	"- Prompts with blanks to fill in, mentions with @, files in messages, settings.\n"
	"- Calls that change something wait for the user's approval wherever text of others "
	"is in what the model reads; deletions always do.\n";

static const char guide[] =
	"# How people use Lamplighter\n"
	"1. Choose a workspace and an agent, and ask. Enter sends, Shift+Enter begins a new "
	"line.\n"
	"2. @ mentions a record, a person or a dataset; / opens the prompts; the paper clip "
	"adds files.\n"
	"3. A card asks before something is changed: approve, or deny with a reason.\n"
	"4. Numbers in an answer open the passage that it stands on.\n"
	"5. The pencil edits a message, the circle regenerates an answer; earlier versions "
	"stay.\n"
	"6. Projects: create one, or describe it and ask for it; ask what is open, let tasks "
	"be made of a document, move documents by asking.\n"
	"7. The search above the conversations finds titles and messages.\n";

static int say(const char *text, struct buf *out, bool *is_json)
{
	*is_json = false;
	buf_adds(out, text);
	return 0;
}

int onto_overview(const struct tool *t, const struct tool_ctx *ctx,
		  const json_t *args, struct buf *out, bool *is_json,
		  struct err *e)
{
	(void)t;
	(void)ctx;
	(void)args;
	(void)e;
	return say(overview, out, is_json);
}

int onto_guide(const struct tool *t, const struct tool_ctx *ctx,
	       const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	(void)t;
	(void)ctx;
	(void)args;
	(void)e;
	return say(guide, out, is_json);
}
