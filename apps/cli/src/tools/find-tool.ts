import { nearest, type ToolView } from "@toolbus/contracts";
import { readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** Returns the registered versions of a tool, typed as `name` or `name@version`. If there is none, throws a Failure that proposes a similar name. */
export async function findTool(gateway: Client, typed: string): Promise<readonly [ToolView, ...ToolView[]]> {
  const { tools } = readTools(await gateway.get("/v1/tools"));
  const [name, version] = typed.split("@");
  const [first, ...others] = tools.filter((tool) => tool.name === name && (version === undefined || tool.version === version));
  if (first) return [first, ...others];
  const meant = nearest(name ?? "", [...new Set(tools.map((tool) => tool.name))]);
  throw new Failure(
    EXIT.notFound,
    `There is no tool "${typed.slice(0, 80)}"${meant === null ? "" : `: did you mean ${meant}?`}${meant === null ? ":" : ""} "${SELF} tools list" shows the registered tools.`,
  );
}
