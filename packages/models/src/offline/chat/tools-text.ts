import { counted } from "@toolbus/contracts";
import { cleanText } from "../clean-text.ts";
import { type ChatTool, exampleCall, needsReplacing, REPLACE } from "./tool-example.ts";

const MAX_LISTED = 16;
const ELSE = "To have a release or an alert assessed, start an investigation of it; to chat, configure a language model (docs/models.md).";

/** Returns a text about the abilities of the rules. It lists the tools with their purposes and with example calls. */
export function toolsText(tools: readonly ChatTool[]): string {
  if (tools.length === 0)
    return `I can run the tool that a message names, but this conversation has none: start a toolset, or take a profile that offers tools. ${ELSE}`;
  const more = tools.slice(MAX_LISTED).map(({ name }) => name);
  return [
    "I cannot hold a conversation, but I run the tool that your message names, with the JSON arguments after it. Send one of these lines:",
    ...tools.slice(0, MAX_LISTED).map(toolLine),
    ...(needsReplacing(tools.slice(0, MAX_LISTED)) ? [REPLACE] : []),
    ...(more.length === 0 ? [] : [`And ${counted(more.length, "more tool")}: ${more.join(", ")}.`]),
    ELSE,
  ].join("\n");
}

/** Returns the help for one tool, with its description and an example. */
export function toolHelp(tool: ChatTool): string {
  return `${tool.name}: ${cleanText(tool.description, 1000)}\nCall it like this: ${exampleCall(tool)}${needsReplacing([tool]) ? `\n${REPLACE}` : ""}`;
}

function toolLine(tool: ChatTool): string {
  return `- ${exampleCall(tool)}\n  ${firstSentence(tool.description)}`;
}

/** Returns the first sentence of a description. That sentence usually states the purpose of the tool. */
function firstSentence(description: string): string {
  const line = cleanText(description.split("\n", 1)[0] ?? "", 300);
  return /^.*?(?<!\b(?:e\.g|i\.e))[.!?](?=\s|$)/i.exec(line)?.[0] ?? line;
}
