import { describe, expect, it } from "vitest";
import { cargoFeatures } from "./cargo-features.ts";
import { exportChanges } from "./export-changes.ts";
import { readReleaseFacts } from "./read-release-facts.ts";
import { scratchRepository } from "./testing/scratch-repository.ts";

const names = (...lines: readonly string[]) => [...cargoFeatures(lines.join("\n")).keys()];

describe("the features of a crate", () => {
  it("are those that its manifest writes down, and not those for inner use or in comments", () => {
    expect(
      names("[features]", 'default = ["tls"]', "tls = []", "__inner = []", "# old = []", '"quoted" = []', "[dependencies]", "log = 1"),
    ).toEqual(["feature default", "feature tls", "feature quoted"]);
  });

  it("are also those that an optional dependency implies, unless a feature names the dependency", () => {
    const manifest = [
      "[dependencies]",
      'rand = { version = "1", optional = true }',
      'flate = { version = "1", optional = true }',
      "[target.'cfg(unix)'.dependencies.socket]",
      "optional = true",
      "[features]",
      'zip = ["dep:flate"]',
    ];
    expect(names(...manifest)).toEqual(["feature zip", "implied feature rand", "implied feature socket"]);
  });

  it("are not gone if the one that was implied is written down now", () => {
    const file = { path: "Cargo.toml", from: null, oldId: "old", newId: "new", status: "M" as const, added: 1, deleted: 1, binary: false };
    const texts = new Map([
      ["old", "[dependencies]\nrand = { optional = true }\nold = { optional = true }\n"],
      ["new", '[features]\nrand = ["dep:rand"]\n[dependencies]\nrand = { optional = true }\n'],
    ]);
    expect(exportChanges([file], texts, 20).removed).toEqual([{ file: "Cargo.toml", name: "implied feature old" }]);
  });

  it("count only in a crate with a library", async () => {
    const removedBeside = async (path: string) => {
      using repo = scratchRepository();
      repo.write(path, "\n");
      repo.write("Cargo.toml", '[package]\nname = "a"\nversion = "1.0.0"\n[features]\none = []\ntwo = []\n');
      repo.commit("Begin");
      repo.git("tag", "v1.0.0");
      repo.write("Cargo.toml", '[package]\nname = "a"\nversion = "1.1.0"\n[features]\none = []\n');
      repo.commit("Tidy");
      repo.git("tag", "v1.1.0");
      const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
      if (!outcome.ok) throw new Error(outcome.message);
      return outcome.facts.exports.removed;
    };
    expect(await removedBeside("src/lib.rs")).toEqual([{ file: "Cargo.toml", name: "feature two" }]);
    expect(await removedBeside("src/main.rs")).toEqual([]);
  });

  it("of a manifest with very long lines are read quickly", () => {
    const long = `a${" ".repeat(200_000)}`;
    expect(names("[features]", ...Array.from({ length: 50 }, () => long))).toEqual([]);
  });
});
