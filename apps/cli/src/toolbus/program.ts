import { Command, CommanderError } from "commander";
import { addApprovals } from "../commands/approvals.ts";
import { addAudit } from "../commands/audit.ts";
import { addBackup } from "../commands/backup.ts";
import { addBroker } from "../commands/broker.ts";
import { addChat } from "../commands/chat.ts";
import { addConversations } from "../commands/conversations.ts";
import { addDeadLetters } from "../commands/dead-letters.ts";
import { addDemo } from "../commands/demo.ts";
import { addDoctor } from "../commands/doctor.ts";
import { addEra } from "../commands/era.ts";
import { addEval } from "../commands/eval.ts";
import { addInvestigate } from "../commands/investigate.ts";
import { addKeys } from "../commands/keys.ts";
import { addPermissions } from "../commands/permissions.ts";
import { addMcp } from "../commands/mcp.ts";
import { addPolicy } from "../commands/policy.ts";
import { addRuns } from "../commands/runs.ts";
import { addStart } from "../commands/start.ts";
import { addTools } from "../commands/tools.ts";
import { addUpgrade } from "../commands/upgrade.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import type { Define, Definition } from "./command.ts";
import { contextOf } from "./context.ts";
import { EXIT, EXIT_MEANINGS, type ExitCode } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { addGlobalOptions, readGlobalOptions } from "./global-options.ts";
import type { Surroundings } from "./surroundings.ts";
import { warnOfUnknownVariables } from "./unknown-variables.ts";
import { usageSentence } from "./usage-sentence.ts";

/** Runs one command line and returns its exit code. Throws a Failure for anything that the user must know. */
export async function runCommandLine(argv: readonly string[], around: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  // `toolbus help runs list` and `toolbus` without arguments also ask for help.
  const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv.length === 0 ? ["--help"] : [...argv];
  const program = build(around, (ended) => {
    code = ended;
  });
  // After a command, --version is an option of this command, such as `tools remove`. Commander would take it for the program's own.
  if (!namesCommand(program, words)) program.version(versionLine(), "--version", "print the version");
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // The user asked only for help or for the version, which commander has printed.
    if (error.exitCode === 0) return EXIT.ok;
    // The user called a command group without a subcommand. Commander has printed its help on standard error.
    if (error.code === "commander.help") return EXIT.usage;
    throw new Failure(EXIT.usage, usageSentence(error, commandIn(program, words)));
  }
  return code;
}

/** Declares every command. `onEnd` receives the exit code of the command that ran. */
export function build(around: Surroundings, onEnd: (code: ExitCode) => void): Command {
  const program = new Command("toolbus");
  program
    .description("Toolbus on the command line: talk to an agent, follow what it does, decide what it may change.")
    .configureHelp({ showGlobalOptions: true, helpWidth: WIDTH, visibleGlobalOptions: (command) => globalOptionsOf(command) })
    .configureOutput({
      writeOut: (text) => void around.stdout.write(text),
      writeErr: (text) => void around.stderr.write(text),
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      // `runCommandLine` catches the error and prints one sentence instead.
      outputError: () => undefined,
    })
    .exitOverride()
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", () => afterHelp(program));
  addGlobalOptions(program);

  const define: Define = (parent, { name, summary, more, examples, audience, reads = "nothing", without = {}, run }) => {
    const defined = parent
      .command(name)
      .summary(summary)
      .description(more === undefined ? sentence(summary) : `${sentence(summary)} ${more}`)
      .addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`)
      .allowExcessArguments(false)
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command;
        refuseForeign(program, command);
        const options = readGlobalOptions(program.opts(), around);
        if (reads !== "services") await warnOfUnknownVariables(around, reads);
        onEnd(await run(contextOf(options, around, typeof audience === "string" ? audience : audience(command)), command));
      });
    WITHOUT.set(defined, without);
    return defined;
  };

  for (const add of [
    addStart,
    addDemo,
    addChat,
    addInvestigate,
    addEval,
    addRuns,
    addConversations,
    addApprovals,
    addPolicy,
    addAudit,
    addTools,
    addMcp,
    addDeadLetters,
    addEra,
    addBackup,
    addKeys,
    addPermissions,
    addUpgrade,
    addBroker,
    addDoctor,
  ])
    add(program, define);
  return program;
}

/** Returns whether a command precedes the word `--version`, or is anywhere in a line without this word. Global options may precede a command. */
function namesCommand(program: Command, words: readonly string[]): boolean {
  const at = words.indexOf("--version");
  const before = at === -1 ? words : words.slice(0, at);
  return before.some((word) => program.commands.some((command) => command.name() === word));
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const versionLine = (): string => `toolbus 0.0.0, Node ${process.version}`;

const COLUMN = 29;

/** Returns the end of the program's own help: the options of every command, which follow the commands, then exit codes and examples. */
function afterHelp(program: Command): string {
  const options = program.options.filter((option) => option.hidden);
  return [
    "",
    "Options of every command:",
    ...options.flatMap(({ flags, description }) =>
      wrapped(description, WIDTH - COLUMN).map((line, n) => `${(n === 0 ? `  ${flags}` : "").padEnd(COLUMN)}${line}`),
    ),
    "",
    "Exit codes:",
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
    "",
    "Examples:",
    "  toolbus start",
    '  toolbus chat "What can you do?"',
    "  toolbus doctor",
  ].join("\n");
}

function globalOptionsOf(command: Command): Command["options"][number][] {
  let root = command;
  while (root.parent) root = root.parent;
  const left = WITHOUT.get(command) ?? {};
  return root === command ? [] : root.options.filter(({ hidden, long }) => hidden && !(long !== undefined && long in left));
}

/** The options of every command that a command does not take. */
const WITHOUT = new WeakMap<Command, NonNullable<Definition["without"]>>();

/** Throws a Failure if the user typed an option that this command does not take. */
function refuseForeign(program: Command, command: Command): void {
  const left = WITHOUT.get(command) ?? {};
  const typed = program.options.find(
    (option) => (option.long ?? "") in left && program.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (typed?.long) throw new Failure(EXIT.usage, `"${command.name()}" has no ${typed.long}: ${left[typed.long]}.`);
}

/** Returns the path of the command that the user typed, as far as it exists. An error then refers to the help of that command. */
function commandIn(program: Command, words: readonly string[]): string {
  let at = program;
  let path = "";
  for (const word of words) {
    const next = at.commands.find((command) => command.name() === word);
    if (!next) continue;
    at = next;
    path += ` ${word}`;
  }
  return path;
}
