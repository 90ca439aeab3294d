import { fenceError, readShell } from "./shell-fence.ts";

/** One thing that the reader of a page does or sees, in the order of the page. `line` is its line. */
export type Step = Typed | Seen | Exported | Written | NotRun;

/** A command, typed at a terminal. */
export interface Typed {
  readonly kind: "types";
  readonly line: number;
  readonly terminal: string;
  readonly command: string;
  /** A program that runs until Ctrl-C, as opposed to a command that ends. */
  readonly stays: boolean;
  /** The exit codes with one of which a command ends. */
  readonly exits: readonly number[];
  readonly shows: string | null;
  /** In an HTML comment: it sets up what the page takes for granted, and no reader types it. */
  readonly hidden: boolean;
}

/** A later output of a terminal. */
export interface Seen {
  readonly kind: "sees";
  readonly line: number;
  readonly terminal: string;
  readonly shows: string;
}

/** Variables for all later commands of these terminals. */
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
/** Languages in which a fence could contain a command. */
const SHELLS: readonly string[] = ["", "bash", "shell", "console", "shell-session", "zsh"];

/**
 * The steps of a page. Its fences say what they are, in the words after the language, which readers do not see. A fence in an HTML comment is a step
 * that readers do not see at all. `sh terminal-2` is typed there, one command per line (`shell-fence.ts`). `text` right after it is the expected
 * output, `text terminal-3` what that terminal shows later, `text to-read` is not a step. Any other language is something to read or, with the NAME
 * of a file, a file to write. Throws on any other fence, with its line, so that no command is skipped by mistake.
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

/** The pattern of a page's text: its lines one after another. A `…` is anything within a line, and alone on a line any number of lines. */
export function patternOf(shows: string): RegExp {
  return new RegExp(shows.split("\n").map(lineOf).join(""));
}

function lineOf(line: string): string {
  if (line === "…") return String.raw`(?:[^\n]*\n)*?`;
  const literal = line.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return String.raw`${literal.replaceAll("…", String.raw`[^\n]*`)}\n?`;
}

/** A step on one line, for the name of its test. */
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
