import { fenceError, readShell } from "./shell-fence.ts";

/** One action or observation of a page's reader, in the order of the page. `line` is its line. */
export type Step = Typed | Seen | Exported | Written | NotRun;

/** A command that the reader types at a terminal. */
export interface Typed {
  readonly kind: "types";
  readonly line: number;
  readonly terminal: string;
  readonly command: string;
  /** True if the program runs until Ctrl-C, false if the command exits. */
  readonly stays: boolean;
  /** The exit codes that are allowed for the command. */
  readonly exits: readonly number[];
  readonly shows: string | null;
  /** True if the command is in an HTML comment. No reader types it, but it sets up what the page assumes. */
  readonly hidden: boolean;
}

/** Later output of a terminal. */
export interface Seen {
  readonly kind: "sees";
  readonly line: number;
  readonly terminal: string;
  readonly shows: string;
}

/** Variables for all later commands in these terminals. */
export interface Exported {
  readonly kind: "exports";
  readonly line: number;
  readonly terminals: readonly string[];
  readonly command: string;
}

export interface Written {
  readonly kind: "writes";
  readonly line: number;
  readonly file: string;
  readonly text: string;
}

/** A command that the page says cannot be tried here. */
export interface NotRun {
  readonly kind: "not-run";
  readonly line: number;
  readonly command: string;
  readonly why: string;
}

const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gm;
/** Other names of shell languages. A fence in one of them is refused, because it does not say whether it contains commands to run. */
const SHELLS: readonly string[] = ["", "bash", "shell", "console", "shell-session", "zsh"];

/**
 * Returns the steps of a page. The words after a fence's language say what the fence is, and readers do not see them. Readers do not see a step in an
 * HTML comment at all. A reader types the commands of `sh terminal-2` there, one per line (`shell-fence.ts`). A `text` fence after it is the expected
 * output. `text terminal-3` is later output of that terminal, and `text to-read` is not a step. A fence in any other language is only to read, or a
 * file to write if the fence has the NAME of a file. Throws on any other fence, with its line, so that no command is skipped by mistake.
 */
export function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = [];
  for (const { 1: info = "", 2: text = "", index } of page.matchAll(FENCE)) {
    const before = page.slice(0, index);
    const line = before.split("\n").length;
    const hidden = before.lastIndexOf("<!--") > before.lastIndexOf("-->");
    const [language = "", place = ""] = info.split(" ");
    const last = steps.at(-1);
    if (language === "sh") steps.push(...readShell({ line, hidden, words: info.slice("sh".length).trim(), text }));
    else if (SHELLS.includes(language))
      throw fenceError(line, `does not say what it is: a command is "sh terminal-1", anything else "text to-read"`);
    else if (language !== "text") {
      if (/[./]/.test(place)) steps.push({ kind: "writes", line, file: place, text });
    } else if (place.startsWith("terminal-")) steps.push({ kind: "sees", line, terminal: place, shows: text.trim() });
    else if (place === "" && last?.kind === "types") steps[steps.length - 1] = { ...last, shows: text.trim() };
    else if (place !== "to-read") throw fenceError(line, `is the output of no command before it: "text to-read" is something to read`);
  }
  return steps;
}

/** Returns the pattern of a page's text, line by line. A `…` matches anything within a line. Alone on a line, it matches any number of lines. */
export function patternOf(shows: string): RegExp {
  return new RegExp(shows.split("\n").map(lineOf).join(""));
}

function lineOf(line: string): string {
  if (line === "…") return String.raw`(?:[^\n]*\n)*?`;
  const literal = line.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return String.raw`${literal.replaceAll("…", String.raw`[^\n]*`)}\n?`;
}

/** Returns a step on one line, for the name of its test. */
export function nameOf(step: Step): string {
  switch (step.kind) {
    case "writes":
      return `a file: ${step.file}`;
    case "sees":
      return `${step.terminal} shows ${step.shows.split("\n").at(-1)}`;
    case "exports":
      return `${step.terminals.join(", ")}: ${step.command}`;
    case "types":
      return `${step.terminal}: ${step.command}`;
    case "not-run":
      return `not run: ${step.command}`;
  }
}
