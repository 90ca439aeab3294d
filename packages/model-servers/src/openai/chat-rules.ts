import type { Rule } from "../wire/rule.ts";
import type { ChatAsk } from "./chat-ask.ts";
import { chatBodyRules } from "./chat-body-rules.ts";
import { chatMessageRules } from "./chat-message-rules.ts";
import { chatToolRules } from "./chat-tool-rules.ts";

/** What a request for a chat completion must keep; rules of one vendor look at who they stand for. */
export const chatRules: readonly Rule<ChatAsk>[] = [...chatBodyRules, ...chatMessageRules, ...chatToolRules];
