import { anthropicDoorRules, anthropicRules } from "./anthropic/anthropic-rules.ts";
import { bedrockRules } from "./bedrock/bedrock-rules.ts";
import { chatRules } from "./openai/chat-rules.ts";
import { openaiDoorRules } from "./openai/openai-door-rules.ts";
import { responsesRules } from "./openai/responses-rules.ts";
import type { Rule } from "./wire/rule.ts";

/** The published fields of a rule. */
export type WrittenRule = Pick<Rule<never>, "name" | "status" | "source" | "unconfirmed">;

/** Every rule of every protocol, in the order of the checks. */
export const RULE_TABLES: readonly { readonly title: string; readonly rules: readonly WrittenRule[] }[] = [
  { title: "Anthropic Messages", rules: [...anthropicDoorRules, ...anthropicRules] },
  { title: "Chat completions (OpenAI, OpenRouter, Ollama, compatible)", rules: [...openaiDoorRules, ...chatRules] },
  { title: "OpenAI Responses", rules: responsesRules },
  { title: "Bedrock Converse", rules: bedrockRules },
];

/** Returns the tables of docs/model-servers.md as Markdown. */
export function rulesText(): string {
  return RULE_TABLES.map(({ title, rules }) =>
    [`### ${title}`, "", "| Rule | Status | Source |", "| --- | --- | --- |", ...rules.map(ruleLine), ""].join("\n"),
  ).join("\n");
}

/** Returns the table row of one rule. */
export function ruleLine({ name, status, source, unconfirmed }: WrittenRule): string {
  return `| ${name} | ${status} | ${unconfirmed ? "**Unconfirmed.** " : ""}${source.replaceAll("|", "\\|")} |`;
}
