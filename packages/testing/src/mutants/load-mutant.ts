import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { patched } from "./mutant.ts";
import { mutants } from "./mutants.ts";

// A child process loads this file before everything else (`node --import`). The last argument names the mutant. The mutant's patches change the
// source text when a file is read from disk.
const name = process.argv.at(-1);
const mutant = mutants.find((known) => known.name === name);
if (!mutant) throw new Error(`There is no mutant "${name}".`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
    const file = fileURLToPath(url);
    if (!mutant.patches.some((patch) => file.endsWith(`/${patch.file}`))) return loaded;
    const text = typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: patched(mutant, file, text) };
  },
});
