import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SERVICES, startBoth } from "../openapi-services.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

// These tests use the tools that authors of API clients use: a linter for the descriptions, and a generator of types.

const root = path.resolve(import.meta.dirname, "../..");
const REDOCLY = path.join(root, "node_modules/@redocly/cli/bin/cli.js");
const TSC = path.join(root, "node_modules/typescript/bin/tsc");
const PAGE = path.join(root, "examples/chat-page/index.html");
/** npx fetches this package, because it needs a compiler API that TypeScript 7 lacks. It comes with its own TypeScript. */
const GENERATOR = ["--yes", "--package=openapi-typescript@7.13.0", "--package=typescript@5.9.3", "--", "openapi-typescript"];
const DEADLINE_MS = 300_000;

let files: Scratch;
beforeAll(async () => {
  files = scratch();
  const system = await startBoth();
  try {
    for (const service of SERVICES) files.file(`${service}.json`, JSON.stringify(await system.document(service)));
  } finally {
    await system.stop();
  }
});
afterAll(() => files.remove());

describe("the recommended rules of Redocly", () => {
  it.each(SERVICES)("find no error and no warning in the description of %s", async (service) => {
    expect(await lint(`${service}.json`)).toEqual([]);
  });

  it("would find an operation whose name is there twice", async () => {
    const document = readFileSync(files.at("gateway.json"), "utf8");
    files.file("broken.json", document.replace('"operationId":"getRun"', '"operationId":"listRuns"'));
    expect(await lint("broken.json")).toContain("operation-operationId-unique");
  });
});

describe.skipIf(process.env["LONG_PROOFS"] === undefined)(
  "the script of the chat page, by types that are generated from the gateway's description",
  () => {
    beforeAll(async () => {
      await ran("npm", ["exec", ...GENERATOR, files.at("gateway.json"), "-o", files.at("toolbus.d.ts")]);
      const [, script = ""] = /<script type="module">([^]*?)<\/script>/.exec(readFileSync(PAGE, "utf8")) ?? [];
      files.file("page.js", script);
      files.file("package.json", '{"type": "module"}');
      files.file("tsconfig.json", JSON.stringify({ compilerOptions: OPTIONS, files: ["page.js"] }));
    }, DEADLINE_MS);

    it("is correct", async () => {
      expect(await typeFaults()).toBe("");
    });

    it.each<{ what: string; from: string; to: string; says: RegExp }>([
      {
        what: "an event that is removed",
        from: 'components["schemas"]["RunQueuedEvent"] | ',
        to: "",
        says: /'"run.queued"' is not comparable/,
      },
      {
        what: "an event that is renamed",
        from: 'type: "model.retry";',
        to: 'type: "model.again";',
        says: /'"model.retry"' is not comparable/,
      },
      { what: "an event that is new", from: "LiveEvent: ", to: 'LiveEvent: { type: "new" } | ', says: /not assignable to type 'never'/ },
      { what: "a member that is gone", from: "waitMs: number;", to: "", says: /'waitMs' does not exist/ },
      { what: "a body that is named otherwise", from: "content?: string;", to: "words?: string;", says: /'content' does not exist/ },
    ])("is not correct any more with $what", async ({ from, to, says }) => {
      const generated = readFileSync(files.at("toolbus.d.ts"), "utf8");
      expect(generated).toContain(from);
      writeFileSync(files.at("toolbus.d.ts"), generated.replace(from, to));
      try {
        expect(await typeFaults()).toMatch(says);
      } finally {
        writeFileSync(files.at("toolbus.d.ts"), generated);
      }
    });
  },
);

const OPTIONS = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  module: "nodenext",
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  allowJs: true,
  checkJs: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** Returns the rules that this file breaks, as errors or as warnings. */
async function lint(name: string): Promise<readonly string[]> {
  const { stdout } = await ran(process.execPath, [REDOCLY, "lint", name, "--format=json", "--extends=recommended"]);
  const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly ruleId: string }[] };
  return problems.map(({ ruleId }) => ruleId);
}

/** Returns the compiler's output for the page's script. */
async function typeFaults(): Promise<string> {
  return (await ran(process.execPath, [TSC, "-p", files.at("tsconfig.json")])).stdout;
}

/** Runs a command in the folder of the files. Accepts any exit code if the command printed something. */
async function ran(command: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const running = promisify(execFile)(command, args, { cwd: files.at(), env, timeout: DEADLINE_MS, maxBuffer: 2 ** 26 });
  return running.catch((error: { readonly stdout?: string }) => {
    if (error.stdout) return { stdout: error.stdout };
    throw error;
  });
}
