import { compatibilityManifest } from "@toolbus/contracts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

/** Prints the compatibility manifest of this build. */
export async function showManifest({ output }: Context): Promise<ExitCode> {
  const manifest = compatibilityManifest();
  if (output.json) {
    output.document(manifest);
    return EXIT.ok;
  }
  const rows = Object.entries(manifest.forms).map(([name, { kind, version, writers, readers }]) => [
    name,
    kind,
    version,
    writers.join(", "),
    readers.join(", "),
  ]);
  output.lines(table(["FORM", "KIND", "VERSION", "WRITTEN BY", "READ BY"], rows));
  return EXIT.ok;
}
