import type { CommanderError } from "commander";
import { SELF } from "./self.ts";

/** Returns a fault in the command line as one line with the remedy, because commander's own message has several lines. */
export function usageSentence(error: Pick<CommanderError, "message">, command: string): string {
  const [first = "", ...rest] = error.message.split("\n");
  const fault = first.replace(/^error: /, "").replace(/\.$/, "");
  const meant = /^\(Did you mean (.+)\?\)$/.exec(rest.join(" ").trim())?.[1]?.replace(/^one of /, "");
  const sentence = `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`;
  return `${sentence}${meant ? `: did you mean ${meant}?` : "."} See ${SELF}${command} --help.`;
}
