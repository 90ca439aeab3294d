import type { ToolSpec } from "../../schema/tool-spec.ts";
import { cleanText, quoted } from "../clean-text.ts";
import type { StepCall } from "../step.ts";
import { jsonExtent, placeIn } from "../../json-extent.ts";
import { nearName } from "./near-name.ts";
import { exampleCall, requiredOf } from "./tool-example.ts";

/** What a message asks for. */
export interface Asked {
  /** In the order in which they stand there. */
  readonly calls: readonly StepCall[];
  /** Why something in it cannot be called, a sentence each. */
  readonly problems: readonly string[];
  /** Tools that it names without calling them. */
  readonly mentioned: readonly ToolSpec[];
}

/** The loop's own tool that asks the person. */
const ASK_TOOL = "ask_user";

/**
 * Reads the calls out of a person's message. A tool's name with a JSON object after it is a call, anywhere in the text; the name alone is one
 * where the tool needs nothing and the line asks for it. What stands inside an object is its content and names nothing.
 */
export function askedCalls(text: string, tools: readonly ToolSpec[]): Asked {
  const calls: StepCall[] = [];
  const problems: string[] = [];
  const mentioned = new Set<ToolSpec>();
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
        // Where its object ends nobody knows; whatever follows may be a part of it.
        words.lastIndex = text.length;
      }
    } else if (tool) {
      const line = lineAt(text, word.index);
      if (requiredOf(tool.parameters).length === 0 && isBareCall(text, word.index, line, written))
        calls.push({ name: tool.name, arguments: "{}" });
      else if (looksLikeName(written) || isAlone(line, written)) mentioned.add(tool);
    } else if (opening !== null || looksLikeName(written) || isAlone(lineAt(text, word.index), written)) {
      if (++strangers > MAX_STRANGERS) continue;
      const near = nearName(written, names);
      const meant = looksLikeName(written) && (opening !== null || isAlone(lineAt(text, word.index), written));
      if (near !== null) problems.push(`There is no tool ${quoted(written, 64)}; did you mean ${near}?`);
      else if (meant) problems.push(`There is no tool ${quoted(written, 64)}.`);
    }
  }
  const question = calls.length === 0 && problems.length === 0 ? questionIn(text) : null;
  if (question !== null && names.includes(ASK_TOOL)) calls.push({ name: ASK_TOOL, arguments: JSON.stringify({ question }) });
  else if (question !== null) problems.push("I cannot ask you a question in this conversation: its profile does not allow it.");
  const called = new Set(calls.map(({ name }) => name));
  return { calls, problems: [...new Set(problems)], mentioned: [...mentioned].filter(({ name }) => !called.has(name)) };
}

// Comparing names costs time, and nobody misspells so many.
const MAX_STRANGERS = 50;

// A line with nothing but a name in it is short; working through a long one again and again is not.
const MAX_LINE = 200;

/** Where the object of arguments begins after a name: at once, or after a word or a sign that people put between. */
function openingAfter(text: string, from: number): number | null {
  const between = /[`"'*]{0,3}\s{0,8}(?:(?:with|using|and|the|these|args|arguments|parameters)\s{1,8}){0,3}[:=(]?\s{0,8}(?=\{)/iy;
  between.lastIndex = from;
  return between.test(text) ? between.lastIndex : null;
}

function brokenJson(tool: ToolSpec, text: string, at: number, expected: string): string {
  const found = characterAt(text, at);
  const example = exampleCall(tool);
  const remedy = example === tool.name ? "" : ` An example: ${example}`;
  return `The arguments of ${tool.name} are no JSON: at ${placeIn(text, at)} I expected ${expected} and found ${found}.${remedy}`;
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
  // A search that begins before the text begins at its start.
  return text.slice(at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1, endOfLine(text, at)).trim();
}

/** A name without arguments is a call when it stands alone or behind a verb that asks for it; otherwise it is just spoken of. */
function isBareCall(text: string, at: number, line: string, written: string): boolean {
  if (line.endsWith("?")) return false;
  if (isAlone(line, written)) return true;
  const before = text.slice(Math.max(0, at - MAX_LINE), at);
  return /\b(?:call|run|use|execute|try)\s{1,8}(?:the\s)?(?:tool\s)?[`"'*]*$/i.test(before) && !/\b(?:not|never|n't|without)\b/i.test(line);
}

/** True when the line is nothing but the name, a verb before it or a full stop behind it. */
function isAlone(line: string, written: string): boolean {
  if (line.length > MAX_LINE) return false;
  const rest = line.replace(/^(?:[-*]\s+|\d+\.\s+)?(?:please\s+)?(?:(?:call|run|use|execute|try)\s+)?/i, "");
  return rest.replace(/^[`"'*]+/, "").replace(/[`"'*.!;,]+$/, "") === written;
}

/** Words of a text are rarely written like this; names of tools nearly always. */
function looksLikeName(written: string): boolean {
  return /[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]/.test(written);
}

/** `Ask me which release I mean` asks to be asked. */
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
