import type { RunEnd } from "@toolbus/contracts";
import { oneLine } from "../runs/verdict-lines.ts";
import type { StreamItem } from "../runs/watch-run.ts";

export interface FiledPlace {
  onItem(item: StreamItem): void;
  /** Returns the line that says where the filed report can be read, or no line if nothing was filed or its target names no place. */
  lines(end: RunEnd): readonly string[];
}

/** Remembers from the stream of a run what the target of the report answered. The report itself has only the id. */
export function filedPlace(): FiledPlace {
  const answers = new Map<string, string>();
  return {
    onItem(item) {
      if (item.type === "call.resolved" && item.status === "ok") answers.set(item.callId, item.content);
    },
    lines({ report }) {
      const { status, callId = "" } = report?.filing ?? {};
      const place = status === "filed" ? urlIn(answers.get(callId) ?? "") : null;
      return place === null ? [] : [`Its target has the report at ${oneLine(place)}.`];
    },
  };
}

const MOST_CHARS = 2000;

function urlIn(content: string): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof answer !== "object" || answer === null || !("url" in answer)) return null;
  const { url } = answer;
  return typeof url === "string" && url.trim() !== "" && url.length <= MOST_CHARS ? url : null;
}
