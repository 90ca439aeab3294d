import type { ApiKey } from "@toolbus/contracts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { hashesIn, localHashFiles, usage } from "./hash-file.ts";

/**
 * Lists the keys of people by name, from one hash file or from those of the data directory. These files contain the hashes of the keys, not the keys
 * themselves.
 */
export async function listKeys({ options, output, around }: Context, to: string | undefined): Promise<ExitCode> {
  const files = to ? [to] : Object.values(localHashFiles(options.dataDirectory));
  const read = await Promise.all(files.map(async (file) => ({ file, keys: await hashesIn(file) })));
  const there = read.flatMap(({ file, keys }) => (keys ?? []).map((key) => ({ ...key, file })));
  if (read.every(({ keys }) => keys === null)) throw usage(`There is no ${files.join(" and no ")}: name a hash file with --to.`);
  if (output.json) {
    output.document({ keys: there });
    return EXIT.ok;
  }
  const now = around.now();
  const rows = there.map((key) => [key.id, key.roles.join("+"), key.principal, key.tenant, rightsOf(key), goodFor(key, now)].map(safeText));
  output.lines(table(["NAME", "ROLE", "PRINCIPAL", "TENANT", "MAY USE", "GOOD FOR"], rows));
  return EXIT.ok;
}

function rightsOf({ scopes, tools }: ApiKey): string {
  return [tools ? tools.join(" ") : "all tools", ...(scopes.length > 0 ? [`scopes ${scopes.join(" ")}`] : [])].join(", ");
}

function goodFor({ expiresAt }: ApiKey, now: number): string {
  if (expiresAt === undefined) return "always";
  return expiresAt <= now ? "expired" : spanOf(expiresAt - now);
}
