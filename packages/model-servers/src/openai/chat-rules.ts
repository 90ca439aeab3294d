import type { Rule } from "../wire/rule.ts";
import type { ChatAsk } from "./chat-ask.ts";
import { chatBodyRules } from "./chat-body-rules.ts";
import { chatMessageRules } from "./chat-message-rules.ts";
import { chatToolRules } from "./chat-tool-rules.ts";

/** The rules for a request for a chat completion. A rule that only one vendor has first checks which vendor the server simulates. */
export const chatRules: readonly Rule<ChatAsk>[] = [...chatBodyRules, ...chatMessageRules, ...chatToolRules];
