import { requiredArguments } from "@toolbus/contracts";
import { cleanText, quoted } from "../clean-text.ts";
import type { StepCall } from "../step.ts";
import { jsonExtent, placeIn } from "../../json-extent.ts";
import { nearName } from "./near-name.ts";
import { type ChatTool, exampleCall, needsReplacing, REPLACE } from "./tool-example.ts";

/** The requests in a message. */
export interface Asked {
  /** The requested calls, in the order of the message. */
  readonly calls: readonly StepCall[];
  /** The reasons why requested calls cannot be made. Each is one sentence. */
  readonly problems: readonly string[];
  /** The tools that the message mentions without a call. */
  readonly mentioned: readonly ChatTool[];
}

/** The loop's own tool that asks the person a question. */
const ASK_TOOL = "ask_user";

/**
 * Reads calls from a person's message. A tool's name followed by a JSON object is a call, anywhere in the text. The name alone is a call if the tool
 * requires no arguments and the line asks for it. Text inside an object is an argument and never a call. If a message only calls names that the run
 * does not have, these calls are made, so that the agent says whether such a tool is unavailable or does not exist.
 */
export function askedCalls(text: string, tools: readonly ChatTool[]): Asked {
  const calls: StepCall[] = [];
  const problems: string[] = [];
  /** Calls of names that this run does not have. The tool may exist and be unavailable now, which only the agent knows. */
  const unknown: StepCall[] = [];
  const mentioned = new Set<ChatTool>();
  const names = tools.map(({ name }) => name);
  let strangers = 0;
  const words = /(?<![\w-])[A-Za-z][\w-]*/g;
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    const [written] = word;
    const after = word.index + written.length;
    const tool = tools.find(({ name }) => name === written.toLowerCase());
    const opening = openingAfter(text, after);
    const args = opening === null ? null : jsonExtent(text, opening);
    if (opening !== null && args?.ok) words.lastIndex = args.end;
    if (tool && opening !== null && args) {
      if (args.ok) calls.push({ name: tool.name, arguments: text.slice(opening, args.end) });
      else {
        problems.push(brokenJson(tool, text, args.at, args.expected));
        // The end of a malformed object is unknown, so all of the following text may be a part of it.
        words.lastIndex = text.length;
      }
    } else if (tool) {
      const line = lineAt(text, word.index);
      if (requiredArguments(tool.parameters).length === 0 && isBareCall(text, word.index, line, written))
        calls.push({ name: tool.name, arguments: "{}" });
      else if (looksLikeName(written) || isAlone(line, written)) mentioned.add(tool);
    } else if (opening !== null || looksLikeName(written) || isAlone(lineAt(text, word.index), written)) {
      if (++strangers > MAX_STRANGERS) continue;
      const near = nearName(written, names);
      const meant = looksLikeName(written) && (opening !== null || isAlone(lineAt(text, word.index), written));
      if (near !== null) problems.push(`There is no tool ${quoted(written, 64)}; did you mean ${near}?`);
      else if (meant) {
        problems.push(`There is no tool ${quoted(written, 64)}.`);
        if (opening !== null && args?.ok && written.length <= MAX_NAME)
          unknown.push({ name: written, arguments: text.slice(opening, args.end) });
      }
    }
  }
  // The agent answers why such a call cannot be made. With other calls or problems in the message, nothing of it is run.
  if (calls.length === 0 && unknown.length > 0 && unknown.length === problems.length)
    return { calls: unknown, problems: [], mentioned: [] };
  const question = calls.length === 0 && problems.length === 0 ? questionIn(text) : null;
  if (question !== null && names.includes(ASK_TOOL)) calls.push({ name: ASK_TOOL, arguments: JSON.stringify({ question }) });
  else if (question !== null) problems.push("I cannot ask you a question in this conversation: its profile does not allow it.");
  const called = new Set(calls.map(({ name }) => name));
  return { calls, problems: [...new Set(problems)], mentioned: [...mentioned].filter(({ name }) => !called.has(name)) };
}

// The maximum number of unknown names to compare. Each comparison costs time, and nobody misspells so many names.
const MAX_STRANGERS = 50;

/** The longest name of a tool. */
const MAX_NAME = 64;

// The maximum length of a line that may request a call by the name alone. Such a line is short, and scanning a long line for every name in it would
// be slow.
const MAX_LINE = 200;

/** Returns the position of the arguments' object after a name, or null. People may write a word or a sign between the two. */
function openingAfter(text: string, from: number): number | null {
  const between = /[`"'*]{0,3}\s{0,8}(?:(?:with|using|and|the|these|args|arguments|parameters)\s{1,8}){0,3}[:=(]?\s{0,8}(?=\{)/iy;
  between.lastIndex = from;
  return between.test(text) ? between.lastIndex : null;
}

function brokenJson(tool: ChatTool, text: string, at: number, expected: string): string {
  const found = characterAt(text, at);
  const example = exampleCall(tool);
  const remedy = example === tool.name ? "" : ` An example: ${example}${needsReplacing([tool]) ? `\n${REPLACE}` : ""}`;
  return `The arguments of ${tool.name} are not JSON: at ${placeIn(text, at)} I expected ${expected} and found ${found}.${remedy}`;
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  if (code === undefined) return "the end of the message";
  const shown = cleanText(String.fromCodePoint(code), 4);
  return shown === "" ? "a character that cannot be seen" : shown === '"' ? "a double quote" : quoted(shown, 4);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function lineAt(text: string, at: number): string {
  // With a negative offset, lastIndexOf would still find a line break at index 0.
  return text.slice(at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1, endOfLine(text, at)).trim();
}

/**
 * Returns true if a name without arguments is a call. The name must be alone in its line or follow a verb that requests a call. Otherwise it is only
 * a mention.
 */
function isBareCall(text: string, at: number, line: string, written: string): boolean {
  if (line.endsWith("?")) return false;
  if (isAlone(line, written)) return true;
  const before = text.slice(Math.max(0, at - MAX_LINE), at);
  return /\b(?:call|run|use|execute|try)\s{1,8}(?:the\s)?(?:tool\s)?[`"'*]*$/i.test(before) && !/\b(?:not|never|n't|without)\b/i.test(line);
}

/** Returns true if the line contains only the name, with an optional verb before it and punctuation after it. */
function isAlone(line: string, written: string): boolean {
  if (line.length > MAX_LINE) return false;
  const rest = line.replace(/^(?:[-*]\s+|\d+\.\s+)?(?:please\s+)?(?:(?:call|run|use|execute|try)\s+)?/i, "");
  return rest.replace(/^[`"'*]+/, "").replace(/[`"'*.!;,]+$/, "") === written;
}

/** Returns true for snake case and camel case, which occur in names of tools but not in ordinary words. */
function looksLikeName(written: string): boolean {
  return /[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]/.test(written);
}

/** Returns the question that a message such as `Ask me which release I mean` requests, or null. */
function questionIn(text: string): string | null {
  const line = text.split("\n").find((candidate) => ASK_ME.test(candidate));
  if (line === undefined) return null;
  const asked = line
    .replace(ASK_ME, "")
    .slice(0, 1000)
    .replace(/^(?:[\s:,]+|about\b)+/i, "")
    .replace(/[\s.?!]+$/, "");
  return asked === "" ? null : `${asked.charAt(0).toUpperCase()}${asked.slice(1)}?`;
}

const ASK_ME = /^\s{0,8}(?:please\s)?ask me\b/i;
