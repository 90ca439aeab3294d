import { writeFile } from "node:fs/promises";
import path from "node:path";
import { limitsOfBuild, stampOfBuild } from "@toolbus/all-in-one";
import { counted, isToolsetName, type RegistryStamp, stampOf } from "@toolbus/contracts";
import { Refusal } from "@toolbus/runtime";
import { readTools } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface StampOptions {
  readonly toolsets?: string;
  readonly running?: true;
  readonly kubernetes?: true;
  readonly out?: string;
}

/** The name of the ConfigMap, and the name of the stamp in it. */
export const STAMP_NAME = "toolbus-registry-stamp";
export const STAMP_KEY = "stamp.json";

/** Prints the registry stamp of this build, or of the registered tools, as JSON or as a Kubernetes ConfigMap. */
export async function stampTools(context: Context, given: StampOptions): Promise<ExitCode> {
  const { output, around } = context;
  const stamp = await made(context, given);
  const document = given.kubernetes ? configMap(stamp) : stamp;
  const text = given.kubernetes && !output.json ? configMapText(stamp) : `${JSON.stringify(document, null, 2)}\n`;
  if (given.out === undefined) {
    if (output.json) output.document(document);
    else output.lines(text.trimEnd().split("\n").map(safeText));
    return EXIT.ok;
  }
  const file = path.resolve(around.cwd, given.out);
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(EXIT.failed, `The file ${file} cannot be written (${error.code ?? "unknown"}): choose another place.`);
  });
  const tools = Object.values(stamp.toolsets).reduce((sum, each) => sum + Object.keys(each).length, 0);
  if (output.json) output.document({ file, registryVersion: stamp.registry_version, tools });
  else output.lines([`${file} stamps ${counted(tools, "tool")} as registry version ${stamp.registry_version}.`].map(safeText));
  return EXIT.ok;
}

async function made(context: Context, { toolsets, running }: StampOptions): Promise<RegistryStamp> {
  const names = toolsets?.split(",").map((name) => name.trim());
  const bad = names?.find((name) => !isToolsetName(name));
  if (bad !== undefined)
    throw new Failure(EXIT.usage, `--toolsets has "${bad.slice(0, 40)}", which is not a name of a toolset: write release,guides.`);
  const profiles = context.around.env["PROFILES_DIR"] ?? "";
  try {
    if (!running) return await stampOfBuild(names ?? ["release"], profiles);
    const gateway = await context.gateway();
    const { tools } = readTools(await gateway.get("/v1/tools"));
    // The bridge's tools come from servers that may change them at any time, so a deployment cannot be made for them.
    const stamped = tools.filter(({ toolset }) => (names ? names.includes(toolset) : toolset !== "mcp"));
    const missing = names?.find((name) => !stamped.some(({ toolset }) => toolset === name));
    if (missing !== undefined) throw new Failure(EXIT.failed, `No tool of the toolset "${missing}" is registered: start its worker first.`);
    return stampOf(stamped, await limitsOfBuild(profiles));
  } catch (error) {
    throw error instanceof Refusal ? new Failure(EXIT.failed, error.message) : error;
  }
}

function configMap(stamp: RegistryStamp) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: STAMP_NAME },
    data: { [STAMP_KEY]: `${JSON.stringify(stamp, null, 2)}\n` },
  };
}

function configMapText(stamp: RegistryStamp): string {
  const lines = JSON.stringify(stamp, null, 2).split("\n");
  return [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata:",
    `  name: ${STAMP_NAME}`,
    "data:",
    `  ${STAMP_KEY}: |`,
    ...lines.map((line) => `    ${line}`),
    "",
  ].join("\n");
}
