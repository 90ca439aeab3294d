import type { JsonObject } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";
import { objectOf, parsed } from "../wire/fields.ts";
import { sinceLatestUser } from "./latest-user.ts";
import { outcomeText } from "./outcome-text.ts";

/**
 * Returns a brain that calls every offered tool that the last user text names before a JSON object, such as `get_release_summary
 * {"release_id":"v2"}`. It makes all calls in one turn and then reports the results. It answers any other text with a sentence of several words and
 * scripts.
 */
export function chatBrain(): Brain {
  return (asked) => {
    const { text, since } = sinceLatestUser(asked);
    const results = since.filter((message) => message.role === "tool");
    if (results.length > 0) {
      const lines = results.map(({ content }) => outcomeText(content));
      return { text: `Done, ${results.length} ${results.length === 1 ? "call" : "calls"}. ${lines.join(" ")}` };
    }
    const calls =
      asked.toolChoice === "none"
        ? []
        : callsIn(
            text,
            asked.tools.map((tool) => tool.name),
          );
    const some = asked.parallelCalls ? calls : calls.slice(0, 1);
    if (some.length > 0) return { text: `I call ${some.map(({ name }) => name).join(", then ")}.`, calls: some };
    return { text: `You said “${text.slice(0, 200)}”. I can answer that in plain words: yes, ça va, 好的, 👍.` };
  };
}

/** Returns the calls in the order of the text. */
function callsIn(text: string, names: readonly string[]): readonly { readonly name: string; readonly arguments: JsonObject }[] {
  const calls: { readonly name: string; readonly arguments: JsonObject }[] = [];
  for (const { 1: name = "", index, 0: found } of text.matchAll(/([A-Za-z][\w-]*)\s*(?=\{)/g)) {
    const raw = objectText(text, index + found.length);
    const value = raw === null ? undefined : parsed(raw);
    if (names.includes(name) && value !== undefined) calls.push({ name, arguments: objectOf(value) });
  }
  return calls;
}

/** Returns the shortest JSON object that begins at this brace, or null. */
function objectText(text: string, from: number): string | null {
  for (let end = text.indexOf("}", from); end >= 0; end = text.indexOf("}", end + 1)) {
    const piece = text.slice(from, end + 1);
    if (parsed(piece) !== undefined) return piece;
  }
  return null;
}
