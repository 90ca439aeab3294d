// This program is a command for LLM_CLI_COMMAND. It reads the whole prompt and answers as its first argument says.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { env } from "node:process";
import { text } from "node:stream/consumers";

interface Asked {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly text?: string }[];
}

const [manner = "answers", argument = ""] = process.argv.slice(2);
const input = await text(process.stdin);
const asked = JSON.parse(input) as Asked;
const say = (value: unknown): void => void process.stdout.write(typeof value === "string" ? value : JSON.stringify(value));
const manners: Readonly<Record<string, () => void>> = {
  answers: () => {
    const [tool] = asked.tools;
    const last = asked.messages.at(-1);
    if (tool && last?.text?.includes("call")) return say({ text: "I look.", calls: [{ name: tool.name, arguments: { id: "v2" } }] });
    return say({ text: "All is well with it.", calls: [] });
  },
  echoes: () => say({ text: input }),
  tells_its_environment: () => say({ text: JSON.stringify(env) }),
  prints: () => say(argument),
  fails: () => {
    process.stderr.write(`trouble with ${env["THE_SECRET"] ?? "nothing"}\n\u001b[31mand sk-live-12345678901234567890\n`);
    process.exitCode = Number(argument);
  },
  floods: () => {
    const more = (): void => void process.stdout.write("x".repeat(65_536), (error) => (error ? undefined : more()));
    more();
  },
  calls_anyway: () => say({ text: "", calls: [{ name: "look", arguments: {} }] }),
  // Neither the command nor its child ends by itself, and both ignore SIGTERM.
  hangs: () => {
    process.on("SIGTERM", () => undefined);
    const child = spawn(
      process.execPath,
      ["-e", "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('up')"],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    child.stdout.once("data", () => writeFileSync(argument, `${process.pid} ${child.pid}`));
    setInterval(() => undefined, 1000);
  },
};
manners[manner]?.();
