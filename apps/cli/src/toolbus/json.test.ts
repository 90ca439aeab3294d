import { describe, expect, it } from "vitest";
import { commandsUnderTest } from "../testing/commands-under-test.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { runCommandLine } from "./program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";

/** An address without a server, because ports this low are never assigned automatically. */
const NOWHERE = "http://127.0.0.1:2";
const RUN = `rn_00_${"0".repeat(26)}`;
/** The arguments of every command with --json. */
const ARGUMENTS: Readonly<Record<string, string>> = { run: RUN, approval: `ap_${RUN}.1.0`, letter: `dl_00_${"0".repeat(26)}` };

const all = commandsUnderTest().map(([name, command]) => [name.slice("toolbus ".length), command] as const);

/** Runs a line as `main.ts` does, with empty standard input. */
async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { around, said } = surroundingsUnderTest(env);
  around.stdin.push(null);
  const ended = await runCommandLine(argv, around).catch((error: unknown) => error);
  return { ended, ...said() };
}

// tests/e2e/cli-json.test.ts shows on a whole system that each command prints one document when it succeeds.
describe("--json when a command fails", () => {
  it.each(all)("prints nothing on standard output if %s is typed wrongly", async (name) => {
    const { ended, out } = await run([...name.split(" "), "--no-such-option", "--json"]);
    expect(ended).toMatchObject({ exitCode: EXIT.usage });
    expect(out).toBe("");
  });

  // These commands need no server. The second one would write its project into the folder of these surroundings.
  it.each(all.filter(([name]) => name !== "demo" && name !== "tools new"))(
    "prints one document or nothing if nobody listens to %s",
    async (name, command) => {
      const given = command.registeredArguments.filter(({ required }) => required).map((argument) => ARGUMENTS[argument.name()] ?? "x");
      const options = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long ?? "", "x"]);
      const env = { TOOLBUS_URL: NOWHERE, TOOLBUS_APPROVALS_URL: NOWHERE, TOOLBUS_KEY: "wrong", TOOLBUS_APPROVER_KEY: "wrong" };
      const { ended, out } = await run([...name.split(" "), ...given, ...options, "--json", "--data", "/dev/null/no-folder"], env);
      // A command that cannot read its folder may fail with another error than a Failure.
      if (!(ended instanceof Failure) && !(ended instanceof Error)) expect(out).not.toBe("");
      if (out !== "") expect(() => void JSON.parse(out)).not.toThrow();
    },
  );
});
