import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { ChatDelta } from "./chat-chunk.ts";
import type { ChatVendor } from "./chat-vendor.ts";

/** Collects the model's thinking, in the members that later requests must contain. */
export interface ReasoningPieces {
  add(delta: ChatDelta): void;
  /** Returns the members. The object is empty if the model did not think. */
  members(): JsonObject;
}

/** Joins the members that this vendor keeps and ignores the others. */
export function reasoningPieces(keeps: ChatVendor["keeps"]): ReasoningPieces {
  const texts = new Map<string, string>();
  const details: JsonObject[] = [];
  return {
    add: (delta) => {
      for (const member of keeps) {
        const piece = delta[member];
        if (typeof piece === "string" && piece !== "") texts.set(member, (texts.get(member) ?? "") + piece);
        else if (Array.isArray(piece)) for (const detail of piece as readonly Json[]) addDetail(details, detail);
      }
    },
    // If there are details, the plain text only repeats their text.
    members: () => (details.length > 0 ? { reasoning_details: details } : Object.fromEntries(texts)),
  };
}

const GROWING = ["text", "summary"] as const;

/** Adds a piece of a detail. All pieces of one detail have the same type and index, and the last one has a signature. */
function addDetail(details: JsonObject[], piece: Json): void {
  if (!isJsonObject(piece)) return;
  const last = details.at(-1);
  const grows = GROWING.find(
    (member) => typeof piece[member] === "string" || (member === "text" && typeof piece["signature"] === "string"),
  );
  if (last === undefined || grows === undefined || last["type"] !== piece["type"] || last["index"] !== piece["index"] || isSigned(last)) {
    details.push(piece);
    return;
  }
  const said = Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
  details[details.length - 1] = { ...last, ...said, [grows]: `${textOf(last[grows])}${textOf(piece[grows])}` };
}

function isSigned(detail: JsonObject): boolean {
  return typeof detail["signature"] === "string" && detail["signature"] !== "";
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
