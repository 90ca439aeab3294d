import type { Command } from "commander";
import type { DeleteOptions } from "../conversations/delete-conversation.ts";
import type { ListOptions } from "../conversations/list-conversations.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";

/** Declares `toolbus conversations …`, which lists and deletes the caller's conversations. */
export function addConversations(program: Command, define: Define): void {
  const conversations = group(program, "conversations", "list and delete conversations");

  define(conversations, {
    name: "list",
    summary: "list your conversations, newest first",
    more: 'Investigations have one each. "toolbus chat --conversation" continues one.',
    audience: "gateway",
    examples: ["toolbus conversations list", "toolbus conversations list --limit 5 --json"],
    run: async (context, command) =>
      (await import("../conversations/list-conversations.ts")).listConversations(context, command.opts<ListOptions>()),
  })
    .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
    .option("--cursor <cursor>", "continue from the previous page");

  define(conversations, {
    name: "delete <conversation>",
    summary: "delete one of your conversations, and list what is kept",
    more: "Its messages are removed. Its runs and approvals are kept for their own time, because they record what was done. Asks y/N; without a terminal, --yes is needed.",
    audience: "gateway",
    examples: [
      "toolbus conversations delete cv_05_01JD0000000000000000000001",
      "toolbus conversations delete cv_05_01JD0000000000000000000001 --yes --json",
    ],
    run: async (context, command) =>
      (await import("../conversations/delete-conversation.ts")).deleteConversation(
        context,
        command.args[0] ?? "",
        command.opts<DeleteOptions>(),
      ),
  }).option("--yes", "do not ask");
}
