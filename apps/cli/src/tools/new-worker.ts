import { mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { SHARED_TOOLSETS } from "@toolbus/all-in-one";
import { isToolsetName, TOOLSET_NAME_RULE } from "@toolbus/contracts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { refuseFull } from "../toolbus/refuse-full.ts";
import { quoted } from "../toolbus/self.ts";
import { toolNames, workerFiles } from "./worker-files.ts";

export interface NewWorkerOptions {
  readonly directory?: string;
}

/** Writes the project of a worker with one read and one write into a new folder. Overwrites no file, and contacts no server. */
export async function newWorker({ around, options, output }: Context, name: string, given: NewWorkerOptions): Promise<ExitCode> {
  refuseName(name);
  const typed = given.directory ?? `${name}-worker`;
  const folder = path.resolve(around.cwd, typed);
  await refuseFull(folder);
  try {
    await mkdir(folder, { recursive: true });
    // A link from a folder to another leads from the folder's real place.
    const [from, root] = [await realpath(folder), await realpath(around.root)];
    const wayTo = (place: string): string => path.relative(from, place).split(path.sep).join("/");
    const receiptKey = wayTo(path.join(options.dataDirectory, "keys", "receipts-signing.jwk"));
    const files = await workerFiles({ toolset: name, checkout: wayTo(root), receiptKey, root });
    for (const [file, text] of files) {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), text, { flag: "wx" });
    }
    const next = nextCommands(typed, receiptKey);
    if (output.json) output.document({ toolset: name, folder, tools: Object.values(toolNames(name)), files: [...files.keys()], next });
    else
      output.lines(
        [
          `The worker of the toolset ${name} is in ${folder}:`,
          ...[...files.keys()].map((file) => `  ${file}`),
          "",
          "Its README.md says how to call it. Next:",
          ...next.map((command) => `  ${command}`),
        ].map(safeText),
      );
    return EXIT.ok;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null;
    if (code === null) throw error;
    throw new Failure(EXIT.failed, `The worker cannot be written to ${folder} (${code}): name another folder with --directory.`, {
      cause: error,
    });
  }
}

function refuseName(name: string): void {
  if (!isToolsetName(name)) throw new Failure(EXIT.usage, `"${name.slice(0, 80)}" is not a name of a toolset: ${TOOLSET_NAME_RULE}.`);
  // Two workers with one toolset would get each other's calls.
  if (SHARED_TOOLSETS.includes(name)) throw new Failure(EXIT.usage, `Toolbus itself has a toolset "${name}": choose another name.`);
}

function nextCommands(folder: string, receiptKey: string): readonly string[] {
  return [
    `cd ${quoted(folder)} && npm install`,
    "npm run check && npm test",
    `BUS_URL=nats://127.0.0.1:4222 STATE_URL='redis://127.0.0.1:6379?durability=relaxed' RECEIPT_KEY_FILE=${quoted(receiptKey)} npm start`,
  ];
}
