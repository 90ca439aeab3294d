import type { Step } from "./steps.ts";

/** A code fence of commands: its first line on the page, the words after `sh`, and its content. */
interface ShellFence {
  readonly line: number;
  readonly hidden: boolean;
  readonly words: string;
  readonly text: string;
}

/** What the words of a fence say about its commands. Commands are numbered from 1. Comments and commands that export variables have no number. */
interface Said {
  readonly terminals: readonly string[];
  /** Returns whether a command runs until Ctrl-C. */
  readonly stays: (n: number, count: number) => boolean;
  readonly exits: (n: number, count: number) => readonly number[];
  /** Returns why a command is not run, or null if it is run. */
  readonly notRun: (n: number) => string | null;
  /** The output of each command that runs until Ctrl-C, once the command works. */
  readonly says: readonly string[];
}

/**
 * Returns the commands of a fence, one per line. A backslash continues a command on the next line. A fence has these words:
 * - `terminal-2` is the terminal for all commands. `terminals-1,1,3` names one for each command. A line with `export` applies to all of them.
 * - `stays` means that the last command runs until Ctrl-C, and `stays-1,2` that these commands do.
 * - `says: A | B` at the end is the output of each command that stays, once it works.
 * - `exit-124` is the exit code of the last command. `exit-0,2` lists one code for each command, and `exit-0/2` allows either code.
 * - `not-run: WHY` at the end means that no command is run here, and `not-run-2,3: WHY` that these commands are not.
 *
 * Throws on any other word, and if the fence has neither a terminal nor a reason.
 */
export function readShell(fence: ShellFence): readonly Step[] {
  const said = wordsOf(fence);
  const lines = commandsOf(fence);
  const numbered = lines.filter(({ command }) => !isExport(command));
  const says = [...said.says];
  return lines.map(({ line, command }): Step => {
    const n = numbered.findIndex((one) => one.line === line) + 1;
    const why = said.notRun(n);
    if (why !== null) return { kind: "not-run", line, command, why };
    if (n === 0) return { kind: "exports", line, terminals: [...new Set(said.terminals)], command };
    const terminal = said.terminals[said.terminals.length === 1 ? 0 : n - 1];
    if (terminal === undefined) throw fenceError(fence.line, `has no terminal for its command ${n}`);
    const stays = said.stays(n, numbered.length);
    const shows = stays ? (says.shift() ?? null) : null;
    return { kind: "types", line, terminal, command, stays, exits: said.exits(n, numbered.length), shows, hidden: fence.hidden };
  });
}

export function fenceError(line: number, what: string): Error {
  return new Error(`The fence in line ${line} ${what}.`);
}

function isExport(command: string): boolean {
  return command.startsWith("export ");
}

function commandsOf({ line: first, text }: ShellFence): readonly { readonly line: number; readonly command: string }[] {
  const commands: { line: number; command: string }[] = [];
  let goesOn = false;
  for (const [n, line] of text.trimEnd().split("\n").entries()) {
    const last = commands.at(-1);
    if (goesOn && last) last.command += `\n${line}`;
    else if (line.trim() !== "" && (!line.startsWith("#") || line === CTRL_C)) commands.push({ line: first + 1 + n, command: line });
    goesOn = line.endsWith("\\");
  }
  return commands;
}

/** The only comment that is a step. */
export const CTRL_C = "# Ctrl-C";

function wordsOf({ line, words }: ShellFence): Said {
  const [, before = "", key = "", rest = ""] = /^(.*?)(?:(?:^| )(says|not-run(?:-[\d,]+)?): (.+))?$/.exec(words) ?? [];
  let said: Said = { terminals: [], stays: () => false, exits: () => [0], notRun: () => null, says: [] };
  for (const word of before.split(" ").filter((one) => one !== "")) {
    const [name = "", ...values] = word.split(/[-,]/);
    const numbers = values.map(Number);
    if (name === "terminal" || name === "terminals") said = { ...said, terminals: values.map((value) => `terminal-${value}`) };
    else if (name === "stays") said = { ...said, stays: (n, count) => (numbers.length === 0 ? n === count : numbers.includes(n)) };
    else if (name === "exit") {
      const codes = values.map((value) => value.split("/").map(Number));
      said = { ...said, exits: (n, count) => (codes.length > 1 ? codes[n - 1] : n === count ? codes[0] : undefined) ?? [0] };
    } else throw fenceError(line, `has the word "${word}", which means nothing here`);
  }
  if (key === "says") said = { ...said, says: rest.split(" | ") };
  if (key.startsWith("not-run")) {
    const only = key.split(/[-,]/).slice(2).map(Number);
    said = { ...said, notRun: (n) => (only.length === 0 || only.includes(n) ? rest : null) };
    if (only.length === 0) return said;
  }
  if (said.terminals.length === 0) throw fenceError(line, `does not say what it is: "sh terminal-1", or "sh not-run: why"`);
  return said;
}
